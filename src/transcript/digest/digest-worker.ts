import { parentPort, workerData } from "node:worker_threads";
import { createLineScanner } from "../scan/line-scanner.ts";
import { claimJobs, type DigestResult, type SharedWork } from "./read-digests.ts";

// The script of a thread that reads files for `readDigests`.
const results: [index: number, result: DigestResult][] = [];
const scanner = createLineScanner(false);
for (const [index, result] of claimJobs(workerData as SharedWork, scanner)) {
  if (result !== undefined) results.push([index, result]);
}
parentPort?.postMessage(results, results.flatMap(buffersOf));

/** Handed over, not copied. */
function buffersOf([, result]: readonly [number, DigestResult]): readonly ArrayBuffer[] {
  if (!("digest" in result)) return [];
  const { messages, calls, usage } = result.digest;
  return [messages, calls, usage].flatMap((table) => Object.values(table).map(({ buffer }) => buffer));
}
