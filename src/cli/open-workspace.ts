import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { checkTextPath, SkeinError } from "../core/internal.ts";
import { clearLeftovers } from "../engine/internal.ts";
import { confine, shellWord } from "../protocol/index.ts";
import { Workspace, type WorkspaceOptions, findLostRecords } from "../workspace/internal.ts";
import type { CommandContext } from "./define-command.ts";
import { textFlag } from "./common-flags.ts";
import { clearDeadBranches, findInterruptedTurns } from "../trace/internal.ts";
import { fitLine, plainLine } from "../terminal/index.ts";
import { shortId } from "./states/short-id.ts";

export const cwdFlag = textFlag("directory", "The workspace (default: here)");

/**
 * Opens a directory that has to be there already: a command that was mistyped is not to make one. What killed hosts left running or lying
 * about is cleared away first.
 */
export async function openWorkspace(
  cwd: string | undefined,
  bounds: Bounds,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  const directory = await findDirectory(cwd, bounds);
  await clearLeftovers();
  const workspace = await Workspace.open(directory, options);
  try {
    // Looked at again as it was opened: what is found on the way to it can change.
    await confine(workspace.path, bounds.confinement);
    await tellLostRecord(workspace, bounds);
    // A convenience here: where the store cannot be written, it can still be read.
    await clearBranches(workspace, bounds).catch(() => undefined);
    return workspace;
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

/** Opens one to look at what is recorded of it, or to add to that; says first what was cut off in it. */
export async function openToRead(...given: Parameters<typeof openWorkspace>): Promise<Workspace> {
  const workspace = await openWorkspace(...given);
  await tellCutOff(workspace, given[1]).catch(() => undefined);
  return workspace;
}

type Bounds = Pick<CommandContext, "confinement" | "notice">;

export async function findDirectory(
  cwd: string | undefined,
  { confinement }: Pick<Bounds, "confinement">,
): Promise<string> {
  const target = checkTextPath(resolve(cwd ?? "."));
  const found = await stat(target).catch((cause: unknown) => {
    const message = `The working directory ${target} cannot be used: ${(cause as Error).message}`;
    throw new SkeinError(message, { kind: "filesystem", target, hint: "Create it first, or name another.", cause });
  });
  if (found.isDirectory()) return await confine(target, confinement);
  throw new SkeinError(`${target} is not a directory`, { kind: "filesystem", target, hint: "Give cwd a directory." });
}

/** Says what was cut off in a directory and is not recorded yet: a restore, and turns. */
async function tellCutOff(workspace: Workspace, { notice }: Pick<Bounds, "notice">): Promise<void> {
  const half = await workspace.halfRestore();
  if (half) {
    const id = shortId(half.stateId ?? half.snapshotId);
    notice(`A restore to ${id} was cut off here: the files may be a mix of two states. End it: skein recover`);
  }
  for (const { prompt } of await findInterruptedTurns(workspace)) {
    notice(`A turn was cut off here: "${fitLine(plainLine(prompt), 40)}". Keep it or take it back: skein recover`);
  }
}

/** Removes the branches that a search which was killed has left, and says what was cut off in them and is recorded now. */
export async function clearBranches(workspace: Workspace, { notice }: Pick<CommandContext, "notice">): Promise<void> {
  for (const { state, transition } of await clearDeadBranches(workspace)) {
    const prompt = fitLine(plainLine(transition.prompt.text), 40);
    notice(
      `A turn was cut off on a branch and is kept as ${shortId(state.id)}: "${prompt}". Look at it: skein show ${shortId(state.id)}`,
    );
  }
}

const NAMED = 3;

/** Says in a directory of which nothing is recorded that it may have been moved here, and what attaches the record that it had. */
async function tellLostRecord({ path, origin, states }: Workspace, { notice }: Bounds): Promise<void> {
  if (path !== origin || (await states.head()) !== undefined) return;
  const records = await findLostRecords(path);
  const [first, ...others] = records;
  if (!first) return;
  if (others.length === 0 && first.fit !== "repository") {
    const what = first.fit === "begun" ? "that was cut off" : "where it was before";
    notice(`This directory has the record of ${plainLine(first.path)}, ${what}: skein relink attaches it.`);
    return;
  }
  notice(
    `Nothing is recorded here. ${others.length === 0 ? "A record" : "Records"} of a workspace that is gone may fit:`,
  );
  for (const record of records.slice(0, NAMED)) notice(`  ${plainLine(`skein relink ${shellWord(record.path)}`)}`);
}
