import { readdirSync, readFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../../src/search/random.ts";
import { verifyWorkspace } from "../../../src/trace/index.ts";
import { findInterruptedTurns } from "../../../src/trace/internal.ts";
import { Workspace } from "../../../src/workspace/index.ts";
import type { KilledCommand } from "./commands.ts";
import { differences, listFiles, listStored, type FileList } from "./file-list.ts";
import { gitIn } from "./git-in.ts";
import type { Death, Measured } from "./kill-once.ts";
import { leftBehind } from "./left-behind.ts";
import { ask, readLines, storeOf, type Answer, type Place } from "./place.ts";
import type { Prepared } from "./prepare.ts";

/** What is found after a death. */
export interface Aftermath {
  /** States that were told before it, by the command or before it began. */
  readonly states: number;
  readonly cutOff: readonly string[];
  /** What the next command said of it. */
  readonly said: readonly string[];
  /** All that is not as it has to be. */
  readonly problems: readonly string[];
}

/** A killed command, and what it was to do. */
export interface Trial {
  readonly command: KilledCommand;
  readonly prepared: Prepared;
  readonly measured: Measured;
  readonly death: Death;
  readonly random: Random;
  readonly word: string;
}

/** Gives the next command, recovers what that says was cut off, and looks at everything. */
export async function lookAfter(trial: Trial): Promise<Aftermath> {
  const { command, prepared, death, random } = trial;
  const { place } = prepared;
  const cutOff = findCutOff(place);
  const nextIsAgain = random.next() < 0.5;
  const words = command.isRepeatable ? command.args(prepared, `${trial.word}again`) : ["status"];
  const next = await ask(place, nextIsAgain ? words : ["recover"]);
  const problems: string[] = [];
  const refused = next.error?.kind === "restore_interrupted" || command.refusesAgain === next.error?.kind;
  if (next.code !== 0 && !refused)
    problems.push(`the next command fails: ${next.stdout.slice(-1500)} ${next.stderr.slice(-1500)}`);
  const said = readSaid(next);
  if (said.length === 0) problems.push(...(await unsaid(place, cutOff)));
  const wish = said.some((each) => each.startsWith("open "))
    ? (["--keep", "--undo"] as const)[random.below(2)]
    : undefined;
  const recovered = wish && (await ask(place, ["recover", wish]));
  if (recovered && recovered.code !== 0)
    problems.push(`recover ${wish} fails: ${recovered.stdout} ${recovered.stderr}`);
  const isNew = expectedFiles({
    isDone: death.isDone || (nextIsAgain && next.code === 0 && command.isRepeatable),
    wish,
    recovered,
  });
  problems.push(...(await leftInTheEnd(place)), ...(await lookAtFiles(trial, isNew)), ...(await lookAtStore(trial)));
  problems.push(...((await command.outside?.(prepared, death.isDone)) ?? []));
  return { states: prepared.told.size + death.told.size, cutOff, said, problems };
}

/** Git's own locks, and a journal or a host's record without a word in it, say nothing of their holder: a command takes them away once they are old. */
async function leftInTheEnd(place: Place): Promise<readonly string[]> {
  const left = await leftBehind(place);
  const unsigned = left.filter((each) => UNSIGNED.test(each));
  if (unsigned.length === 0) return left;
  const old = new Date(Date.now() - OLD_MS);
  for (const each of unsigned) await utimes(join(place.root, each.replace("file ", "")), old, old);
  await ask(place, ["status"]);
  return await leftBehind(place);
}

const UNSIGNED = /^file skein\/(?:.*\/)?(?:store\.git\/.*\.lock|journals\/.*\.jsonl|processes\/.*\.json)$/u;
const OLD_MS = 10_500;

/** The turns and restores whose records are there though nobody works on them. */
function findCutOff(place: Place): readonly string[] {
  const { home } = storeOf(place);
  const turns = names(join(home, "journals")).flatMap((name) => {
    const [head] = readLines(readFileSync(join(home, "journals", name), "utf8"));
    return head ? [`${head["directory"] === place.app ? "turn" : "branch"} ${String(head["transitionId"])}`] : [];
  });
  return [...turns, ...names(join(home, "restores")).map((name) => `restore ${name}`)];
}

/** What an answer says of what was cut off; it is open where somebody has to decide what becomes of it. */
function readSaid({ data, error, stderr }: Answer): readonly string[] {
  const turns = (data?.["turns"] ?? []) as readonly { readonly transition_id: string }[];
  return [
    ...(Array.isArray(turns) ? turns.map(() => "open turn") : []),
    ...(data?.["cut_off_restore"] ? ["open restore"] : []),
    ...((data?.["lost"] ?? []) as readonly unknown[]).map(() => "open name"),
    ...(error?.kind === "restore_interrupted" ? ["open restore"] : []),
    ...stderr
      .split("\n")
      .filter((line) => line.includes("cut off"))
      .map((line) => (line.endsWith("skein recover") ? "open notice" : "notice")),
  ];
}

/** What was cut off, not recorded, and not said. */
async function unsaid(place: Place, cutOff: readonly string[]): Promise<readonly string[]> {
  const recorded = await recordedTurns(place);
  return cutOff
    .filter((each) => !recorded.has(each.split(" ")[1] ?? ""))
    .map((each) => `${each} was cut off, and the next command did not say so`);
}

async function recordedTurns(place: Place): Promise<ReadonlySet<string>> {
  const { gitDirectory } = storeOf(place);
  const turns = (await statesBelow("refs/skein/conversations", gitDirectory)).map(async (id) => {
    try {
      return [(JSON.parse(await gitIn(gitDirectory, "show", `${id}:transition.json`)) as { readonly id: string }).id];
    } catch {
      return [];
    }
  });
  return new Set((await Promise.all(turns)).flat());
}

async function statesBelow(prefix: string, gitDirectory: string): Promise<readonly string[]> {
  return (await gitIn(gitDirectory, "for-each-ref", "--format=%(objectname)", prefix)).split("\n").filter(Boolean);
}

/** Whether the files have to be the new ones, the old ones, or either. */
function expectedFiles(end: {
  isDone: boolean;
  wish: string | undefined;
  recovered: Answer | undefined;
}): boolean | undefined {
  if (end.isDone) return true;
  return end.recovered?.data?.["cut_off_restore"] ? end.wish === "--keep" : undefined;
}

/** The workspace is whole, and what a person did is there or can be had back. */
async function lookAtFiles(
  { command, prepared, measured }: Trial,
  isNew: boolean | undefined,
): Promise<readonly string[]> {
  const now = listFiles(prepared.place.app);
  if (command.changes === "nothing") return differences(now, prepared.files);
  if (command.changes === "anything") {
    const own = ["mine.txt", "d0/f3"].filter((path) => now.get(path) !== prepared.files.get(path));
    return own.map((path) => `${path}, which is a person's own, was changed`);
  }
  const [old, made] = [differences(now, prepared.files), differences(now, measured.files)];
  if (isNew === undefined ? Math.min(old.length, made.length) > 0 : (isNew ? made : old).length > 0) {
    return [`the files are neither: ${old.slice(0, 5).join(", ")}; ${made.slice(0, 5).join(", ")} (${String(isNew)})`];
  }
  return old.length === 0 || (await isHeld(prepared.place, prepared.files))
    ? []
    : ["no state holds what was there before"];
}

async function isHeld(place: Place, files: FileList): Promise<boolean> {
  const { gitDirectory } = storeOf(place);
  for (const id of await statesBelow("refs/skein", gitDirectory)) {
    if (differences(await listStored(gitDirectory, id), files).length === 0) return true;
  }
  return false;
}

/** Nothing more is cut off, all is sound, and what was told is there byte for byte. */
async function lookAtStore({ command, prepared, measured, death }: Trial): Promise<readonly string[]> {
  const { place } = prepared;
  const { gitDirectory } = storeOf(place);
  const removed = new Set(command.name === "gc" ? prepared.unnamed : []);
  const told = [...prepared.told, ...death.told].filter(([id]) => !removed.has(id));
  const lost = await Promise.all(
    told.map(async ([id, files]) =>
      differences(await listStored(gitDirectory, id), files)
        .slice(0, 3)
        .map((each) => `the state ${id}: ${each}`),
    ),
  );
  await using workspace = await Workspace.open(place.app, { home: place.skeinHome });
  const follows = (await workspace.states.head())?.conversationId ?? null;
  const isElsewhere =
    command.changes === "nothing" && ![prepared.conversationId, measured.conversationId].includes(follows);
  return [
    ...lost.flat(),
    ...(await findInterruptedTurns(workspace)).map(({ prompt }) => `a turn is still cut off: ${prompt}`),
    ...((await workspace.halfRestore()) ? ["a restore is still cut off"] : []),
    ...(await verifyWorkspace(workspace)).problems,
    ...(isElsewhere ? [`the workspace follows ${String(follows)} instead of ${prepared.conversationId}`] : []),
  ];
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
