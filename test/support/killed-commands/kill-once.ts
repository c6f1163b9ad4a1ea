import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../../src/search/random.ts";
import type { Running } from "../../cli/support/skein.ts";
import { hasCome, type KilledCommand, type Moment } from "./commands.ts";
import { listFiles, type FileList } from "./file-list.ts";
import { processesOf } from "./left-behind.ts";
import { copyPlace, demand, readLines, startIn, type Place } from "./place.ts";
import type { Prepared } from "./prepare.ts";

/** How a command runs that nobody kills. */
export interface Measured {
  readonly durationMs: number;
  /** The files of the workspace after it, and the conversation that it follows. */
  readonly files: FileList;
  readonly conversationId: string | null;
}

/** What a killed command had come to. */
export interface Death {
  /** Who was killed, and when. */
  readonly how: string;
  /** Whether it was running then. */
  readonly wasRunning: boolean;
  /** Whether it had said that it was done. */
  readonly isDone: boolean;
  /** How long it ran. */
  readonly tookMs: number;
  /** The states that it had told of, and their files. */
  readonly told: ReadonlyMap<string, FileList>;
}

/** Runs a command to its end on a copy of what was prepared. */
export async function measure(command: KilledCommand, prepared: Prepared): Promise<Measured> {
  await copyPlace(prepared.template, prepared.place);
  const beganMs = performance.now();
  const { child, finished } = await startIn(prepared.place, argsOf(command, prepared, "measured"));
  const { code, stdout, stderr } = await finished;
  if (code !== 0)
    throw new Error(`skein ${command.name} ended with ${code}, unharmed (${child.pid}): ${stdout} ${stderr}`);
  const durationMs = performance.now() - beganMs;
  const { conversation_id: follows } = await demand(prepared.place, ["status"]);
  return { durationMs, files: listFiles(prepared.place.app), conversationId: follows as string | null };
}

/** Runs a command on a copy of what was prepared, and kills it at a point that chance decides. */
export async function killOnce(
  command: KilledCommand,
  { prepared, durationMs, random, word }: { prepared: Prepared; durationMs: number; random: Random; word: string },
): Promise<Death> {
  const whom = (["main", "main", "group", "group", "all"] as const)[random.below(5)] ?? "main";
  const moment = random.next() < 0.6 ? undefined : command.moments[random.below(command.moments.length)];
  // A command takes a while to load, in which there is nothing to break.
  const share = moment ? random.next() : 0.15 + 0.85 * random.next();
  let knownMs = durationMs;
  let death: Death | undefined;
  // Where it was quicker this time, it is tried again, and killed earlier.
  for (let tries = 0; tries < MOST_TRIES && death?.wasRunning !== true; tries += 1) {
    const aim = moment && tries < 3 ? { moment, afterMs: share * 25 } : { moment: undefined, afterMs: share * knownMs };
    death = await killAt(command, { whom, ...aim, afterMs: aim.afterMs * 0.7 ** tries }, { prepared, word });
    knownMs = Math.min(knownMs, death.tookMs);
  }
  if (!death) throw new Error("It was never tried");
  return death;
}

const MOST_TRIES = 8;

/** Who is killed, and how long after the start or after a moment that is waited for. */
interface Aim {
  readonly whom: "main" | "group" | "all";
  readonly moment: Moment | undefined;
  readonly afterMs: number;
}

async function killAt(
  command: KilledCommand,
  { whom, moment, afterMs }: Aim,
  { prepared, word }: { readonly prepared: Prepared; readonly word: string },
): Promise<Death> {
  const { place } = prepared;
  await copyPlace(prepared.template, place);
  const beganMs = performance.now();
  const running = await startIn(place, argsOf(command, prepared, word));
  if (moment) await waitFor(() => running.child.exitCode !== null || hasCome(place, moment));
  await pause(afterMs);
  const wasRunning = running.child.exitCode === null;
  if (wasRunning) killRunning(running, place, whom);
  const { code, stdout } = await running.finished;
  const when = `${moment ? `${moment.name.source} + ` : ""}${Math.round(afterMs)} ms`;
  // A process that has ended may not be known to have yet.
  const how = {
    how: `${whom} at ${when}`,
    wasRunning: wasRunning && code === null,
    tookMs: performance.now() - beganMs,
  };
  return { ...how, ...readTold(stdout, { command, prepared, word }) };
}

function argsOf(command: KilledCommand, prepared: Prepared, word: string): readonly string[] {
  const args = command.args(prepared, word);
  return args.includes("--output-format") ? args : [...args, "--output-format", "json"];
}

async function waitFor(isThere: () => boolean): Promise<void> {
  while (!isThere()) await pause(1);
}

/** Kills the process itself, its group, or everything that has to do with the place, its guardian too. */
function killRunning({ child }: Running, place: Place, whom: Aim["whom"]): void {
  if (whom === "group") kill(-(child.pid ?? 0));
  else child.kill("SIGKILL");
  if (whom === "all") for (const { pid } of processesOf(place)) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function readTold(
  stdout: string,
  { command, prepared, word }: { command: KilledCommand; prepared: Prepared; word: string },
): Pick<Death, "isDone" | "told"> {
  const told = new Map<string, FileList>();
  const lines = readLines(stdout);
  for (const line of lines) {
    const event = line as { type?: string; stateId?: string; branch?: { prompt?: string; state_id?: string } };
    const end = event.branch?.prompt?.includes(`${word}a`) ? "a" : "b";
    const files = (ending: string): FileList => command.files?.(prepared, `${word}${ending}`) ?? new Map();
    if (event.type === "state-recorded" && event.stateId) told.set(event.stateId, files(""));
    if (event.type === "branch-end" && event.branch?.state_id) told.set(event.branch.state_id, files(end));
  }
  return { told, isDone: lines.some((line) => line["exit_code"] === 0) };
}
