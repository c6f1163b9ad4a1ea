import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  isRunning,
  monitorFolder,
  parseJson,
  parseProcessIdentity,
  type ProcessIdentity,
} from "../../core/internal.ts";
import { ErrorData } from "../../protocol/index.ts";

/** What lies in the folder of a command that a server has started. */
export const LAUNCH_FILES = {
  input: "input",
  attachments: "attachments",
  /** Its envelope, when it has ended. */
  out: "out.json",
  /** What it said to people. */
  err: "err.txt",
  /** Which process it is. */
  process: "process.json",
} as const;

/** Where the folders of the commands lie that a server has started. */
export function launchFolder(dataHome: string): string {
  return join(monitorFolder(dataHome), "launches");
}

/** What a command came to: the envelope that it wrote. */
export const Envelope = z
  .looseObject({
    command: z.string().describe("The command"),
    exit_code: z.int().describe("What the process ended with"),
    data: z.looseObject({}).optional().describe("What the command gave; absent where it failed"),
    error: ErrorData.optional().describe("What went wrong; absent where nothing did"),
  })
  .describe("The envelope that the command wrote, as with --output-format json");

export type Envelope = z.infer<typeof Envelope>;

/** The envelope that a command has written; undefined where it wrote none. */
export async function readEnvelope(folder: string): Promise<Envelope | undefined> {
  const text = await readFile(join(folder, LAUNCH_FILES.out), "utf8").catch(() => "");
  return Envelope.safeParse(parseJson(text)).data;
}

/** The last line that a command said to people. */
export async function readLastLine(folder: string): Promise<string> {
  const text = await readFile(join(folder, LAUNCH_FILES.err), "utf8").catch(() => "");
  return text.trimEnd().split("\n").at(-1) ?? "";
}

/** The folder of the command that runs in a process, by a server that may be gone; undefined where none started it. */
export async function findLaunch(dataHome: string, { pid, startTime }: ProcessIdentity): Promise<string | undefined> {
  for (const folder of (await listLaunches(dataHome)).toReversed()) {
    const identity = await readIdentity(folder);
    if (identity?.pid === pid && identity.startTime === startTime) return folder;
  }
  return undefined;
}

/** How many commands are kept with what they said, those aside that still run. */
const MOST_KEPT = 100;

/** Removes the folders of the oldest commands that have ended. */
export async function sweepLaunches(dataHome: string, most = MOST_KEPT): Promise<void> {
  const folders = await listLaunches(dataHome);
  for (const folder of folders.slice(0, Math.max(0, folders.length - most))) {
    const identity = await readIdentity(folder);
    if (!identity || !(await isRunning(identity))) await rm(folder, { recursive: true, force: true });
  }
}

async function readIdentity(folder: string): Promise<ProcessIdentity | undefined> {
  return parseProcessIdentity(await readFile(join(folder, LAUNCH_FILES.process), "utf8").catch(() => ""));
}

/** The oldest first: they are named by ids that begin with the time. */
async function listLaunches(dataHome: string): Promise<readonly string[]> {
  const folder = launchFolder(dataHome);
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.toSorted().map((name) => join(folder, name));
}
