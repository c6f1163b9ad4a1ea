import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../jsonl.ts";
import { isRunning } from "../process-identity.ts";
import { MOST_LINE_BYTES } from "./fit-event.ts";
import { eventFolder, RunStart, runOfFile } from "./run-record.ts";

/** How many runs are kept at most. */
const MOST_RUNS = 2000;

/** How many are removed at once, so that it is seldom done. */
const REMOVED_AT_ONCE = 200;

/** Removes the oldest journals where there are too many; of a run that goes on never. */
export async function sweepJournals(folder: string, most: number = MOST_RUNS): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => runOfFile(name) !== undefined);
  if (names.length <= most) return;
  // An id begins with the time at which it was made.
  const oldest = names.toSorted().slice(0, names.length - most + Math.min(REMOVED_AT_ONCE, most >> 1));
  for (const name of oldest) {
    const path = join(folder, name);
    if (!(await mayGoOn(path))) await rm(path, { force: true });
  }
}

/** Removes the journals of all turns of a conversation that is to be forgotten. */
export async function removeJournals(dataHome: string, conversationId: string): Promise<void> {
  const folder = eventFolder(dataHome);
  const names = (await readdir(folder).catch(() => [])).filter((name) => runOfFile(name) !== undefined);
  for (const path of names.map((name) => join(folder, name))) {
    if ((await readStart(path))?.conversationId === conversationId) await rm(path, { force: true });
  }
}

const TAIL_BYTES = 512;

/** Whether a run has no end yet, and its process is there. */
async function mayGoOn(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const tail = await textAt(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  if (tail.trimEnd().split("\n").at(-1)?.startsWith('{"type":"run-end"')) return false;
  const start = await readStart(path);
  return start !== undefined && (await isRunning(start.process));
}

/** What a journal says of its run; undefined where it says nothing that can be read. */
async function readStart(path: string): Promise<RunStart | undefined> {
  await using file = await open(path, "r").catch(() => undefined);
  if (!file) return undefined;
  const [first = ""] = (await textAt(file, 0, MOST_LINE_BYTES)).split("\n");
  return RunStart.safeParse(parseJson(first)).data;
}

async function textAt(file: Awaited<ReturnType<typeof open>>, offset: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.toString("utf8", 0, bytesRead);
}
