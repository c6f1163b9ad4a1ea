import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate as nextTick } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath } from "../problem.ts";
import type { FileDigest } from "./file-digest.ts";
import { createLineScanner, type LineScanner } from "../scan/line-scanner.ts";
import { type DigestJob, readDigest } from "./read-digest.ts";

/** What became of a file: its digest, or why it could not be read. */
export type DigestResult = { readonly digest: FileDigest } | { readonly skipped: SkippedPath };

export interface ReadDigestsOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** What the threads share: the number of the next file, and the kilobytes read. */
export interface SharedWork {
  readonly jobs: readonly DigestJob[];
  readonly counters: Int32Array;
}

const NEXT = 0;
const KILOBYTES = 1;

/** Below this the start of a thread costs more than it takes over. */
const WORTH_A_THREAD = 24 * 1024 * 1024;
const MOST_THREADS = 4;

/** Reads files in as many threads as help, this one among them, and gives the results in the order of the files. */
export async function readDigests(
  jobs: readonly DigestJob[],
  options: ReadDigestsOptions = {},
): Promise<readonly DigestResult[]> {
  // The largest first, so that no thread is left with one when the others are done.
  const order = jobs.map((_, index) => index).toSorted((left, right) => bytesOf(jobs[right]) - bytesOf(jobs[left]));
  const sorted = order.map((index) => jobs[index] as DigestJob);
  const counters = new Int32Array(new SharedArrayBuffer(8));
  const work: SharedWork = { jobs: sorted, counters };
  const workers = startWorkers(work);
  const scanner = createLineScanner(false);
  const found: (DigestResult | undefined)[] = [];
  const tell = (): void => options.onRead?.((counters[KILOBYTES] ?? 0) * 1024);
  try {
    for (const [index, result] of claimJobs(work, scanner)) {
      if (result !== undefined) found[index] = result;
      tell();
      await nextTick();
      throwIfCancelled(options.signal, "Reading the transcripts");
    }
    for (const worker of workers) {
      for (const [index, result] of await worker.results(options.signal)) found[index] = result;
      throwIfCancelled(options.signal, "Reading the transcripts");
    }
  } finally {
    for (const worker of workers) worker.end();
  }
  const results: DigestResult[] = [];
  for (const [place, index] of order.entries()) {
    // What a thread took that then failed is read here.
    results[index] = found[place] ?? readOne(sorted[place] as DigestJob, scanner);
  }
  tell();
  return results;
}

/** Takes one file after the other that no other thread has taken. Yields after each block, and with the result where a file is done. */
export function* claimJobs(
  { jobs, counters }: SharedWork,
  scanner: LineScanner,
): Generator<readonly [index: number, result: DigestResult | undefined]> {
  for (let index = take(counters); index < jobs.length; index = take(counters)) {
    const job = jobs[index] as DigestJob;
    try {
      const reading = readDigest(job, scanner);
      let next = reading.next();
      for (; !next.done; next = reading.next()) {
        Atomics.add(counters, KILOBYTES, Math.ceil(next.value / 1024));
        yield [index, undefined];
      }
      yield [index, { digest: next.value }];
    } catch (error) {
      yield [index, skip(job, error)];
    }
  }
}

function take(counters: Int32Array): number {
  return Atomics.add(counters, NEXT, 1);
}

function readOne(job: DigestJob, scanner: LineScanner): DigestResult {
  try {
    const reading = readDigest(job, scanner);
    for (let next = reading.next(); ; next = reading.next()) if (next.done) return { digest: next.value };
  } catch (error) {
    return skip(job, error);
  }
}

function skip({ place }: DigestJob, error: unknown): DigestResult {
  if (!isUnreadable(error)) throw error;
  return { skipped: toSkipped(place.path, error) };
}

function bytesOf(job: DigestJob | undefined): number {
  return job === undefined ? 0 : Math.max(0, job.place.sizeBytes - (job.before?.facts.offset ?? 0));
}

type Results = readonly (readonly [index: number, result: DigestResult])[];

/** A thread that takes files too. What it fails at is left to this one: it gives no results then. */
function startWorkers(work: SharedWork) {
  const bytes = work.jobs.reduce((sum, job) => sum + bytesOf(job), 0);
  const wanted = Math.min(availableParallelism(), MOST_THREADS, Math.ceil(bytes / WORTH_A_THREAD), work.jobs.length);
  const script = wanted > 1 ? findScript() : undefined;
  if (script === undefined) return [];
  return Array.from({ length: wanted - 1 }, () => startWorker(script, work));
}

function startWorker(script: URL, work: SharedWork) {
  const worker = new Worker(script, { workerData: work, stdout: false, execArgv: [] });
  const ended = new Promise<Results>((resolve) => {
    worker.once("message", (results: Results) => resolve(results));
    worker.once("error", () => resolve([]));
    worker.once("exit", () => resolve([]));
  });
  return {
    async results(signal: AbortSignal | undefined): Promise<Results> {
      const stop = (): void => void worker.terminate();
      signal?.addEventListener("abort", stop, { once: true });
      try {
        return await ended;
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    },
    end: () => void worker.terminate(),
  };
}

/** The package says where its script is, wherever this module was bundled into; none where it has not been built. */
function findScript(): URL | undefined {
  try {
    const script = new URL(import.meta.resolve("#digest-worker"));
    return existsSync(fileURLToPath(script)) ? script : undefined;
  } catch {
    return undefined;
  }
}
