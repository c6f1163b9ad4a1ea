import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../jsonl.ts";
import { isRunning } from "../process-identity.ts";
import { MOST_LINE_BYTES } from "./fit-event.ts";
import { eventFolder, RunStart, runOfFile } from "./run-record.ts";

/** How many runs are kept at most, unless it is configured. */
export const MOST_RUNS = 2000;

/** How many are removed at once, so that it is seldom done. */
const REMOVED_AT_ONCE = 200;

/** Removes the oldest journals where there are too many; of a run that goes on never. */
export async function sweepJournals(folder: string, most: number = MOST_RUNS): Promise<void> {
  const names = await listJournals(folder);
  if (names.length <= most) return;
  const wanted = most - Math.min(REMOVED_AT_ONCE, most >> 1);
  for (const { path } of await oldJournals(folder, { most: wanted })) await rm(path, { force: true });
}

/** A journal that is not needed any more. */
export interface OldJournal {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The journals that are more than so many, and those without an event since a moment, the oldest first; none of a run that goes on. */
export async function oldJournals(
  folder: string,
  { most, beforeMs = -Infinity }: { readonly most: number; readonly beforeMs?: number },
): Promise<readonly OldJournal[]> {
  const names = await listJournals(folder);
  const found: OldJournal[] = [];
  for (const [at, name] of names.entries()) {
    const path = join(folder, name);
    await using file = await open(path, "r").catch(() => undefined);
    if (!file) continue;
    const { mtimeMs, size } = await file.stat();
    const isOld = at < names.length - most || mtimeMs < beforeMs;
    if (isOld && !(await startIfGoing(file, size))) found.push({ path, sizeBytes: size });
  }
  return found;
}

/** The runs of a folder that go on. */
export async function goingRuns(folder: string): Promise<readonly RunStart[]> {
  const found: RunStart[] = [];
  for (const name of await listJournals(folder)) {
    await using file = await open(join(folder, name), "r").catch(() => undefined);
    const start = file && (await startIfGoing(file, (await file.stat()).size));
    if (start) found.push(start);
  }
  return found;
}

/** Removes the journals of all turns of a conversation that is to be forgotten. */
export async function removeJournals(dataHome: string, conversationId: string): Promise<void> {
  const folder = eventFolder(dataHome);
  for (const path of (await listJournals(folder)).map((name) => join(folder, name))) {
    await using file = await open(path, "r").catch(() => undefined);
    if (file && (await readStart(file))?.conversationId === conversationId) await rm(path, { force: true });
  }
}

/** The oldest first: an id begins with the time at which it was made. */
async function listJournals(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => runOfFile(name) !== undefined).toSorted();
}

type OpenFile = Awaited<ReturnType<typeof open>>;

const TAIL_BYTES = 512;

/** How a run began that has no end yet, and whose process is there. */
async function startIfGoing(file: OpenFile, size: number): Promise<RunStart | undefined> {
  const tail = await textAt(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  if (tail.trimEnd().split("\n").at(-1)?.startsWith('{"type":"run-end"')) return undefined;
  const start = await readStart(file);
  return start && (await isRunning(start.process)) ? start : undefined;
}

/** What a journal says of its run; undefined where it says nothing that can be read. */
async function readStart(file: OpenFile): Promise<RunStart | undefined> {
  const [first = ""] = (await textAt(file, 0, MOST_LINE_BYTES)).split("\n");
  return RunStart.safeParse(parseJson(first)).data;
}

async function textAt(file: OpenFile, offset: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.toString("utf8", 0, bytesRead);
}
