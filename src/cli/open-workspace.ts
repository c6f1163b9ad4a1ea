import { mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkTextPath, SkeinError } from "../core/internal.ts";
import { clearLeftovers } from "../engine/internal.ts";
import { confine, shellWord } from "../protocol/index.ts";
import { findLostRecords, findRecorded, storeExists, Workspace, type WorkspaceOptions } from "../workspace/internal.ts";
import type { CommandContext } from "./define-command.ts";
import { textFlag } from "./common-flags.ts";
import { clearDeadBranches, findInterruptedTurns } from "../trace/internal.ts";
import { fitLine, plainLine } from "../terminal/index.ts";
import { shortId } from "./states/short-id.ts";

export const cwdFlag = textFlag("directory", "The workspace, or a folder in it (default: here)");

/**
 * Opens the recorded workspace that a directory lies in, or else the directory, to record in it. The directory has to be there already: a
 * command that was mistyped is not to make one.
 */
export async function openWorkspace(
  cwd: string | undefined,
  bounds: Bounds,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  const directory = await findDirectory(cwd, bounds);
  return await openFolder((await findAbove(directory, bounds)) ?? directory, bounds, options);
}

/** Opens where an agent works, to record it: the folder that is named, or what `findAgentFolder` finds. */
export async function openForAgent(
  cwd: string | undefined,
  bounds: Bounds,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  return await openFolder(await findAgentFolder(cwd, bounds), bounds, options);
}

/**
 * Opens it for a command that needs a record and begins none: where nothing is recorded, the store is an empty one that is gone when the
 * workspace is closed.
 */
export async function openRecorded(
  cwd: string | undefined,
  bounds: Bounds,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  const directory = await findDirectory(cwd, bounds);
  const recorded = await findAbove(directory, bounds);
  if (recorded !== undefined || (await storeExists(await realpath(directory)))) {
    return await openFolder(recorded ?? directory, bounds, options);
  }
  const home = await mkdtemp(join(tmpdir(), "skein-empty-"));
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 3 });
  try {
    const workspace = await openFolder(directory, bounds, { ...options, home });
    const close = async (): Promise<void> => {
      await workspace.close();
      await remove();
    };
    return Object.assign(workspace, { [Symbol.asyncDispose]: close });
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Opens it to add to its record; says first what was cut off in it. */
export async function openToAdd(...given: Parameters<typeof openWorkspace>): Promise<Workspace> {
  const workspace = await openWorkspace(...given);
  await tellCutOff(workspace, given[1]).catch(() => undefined);
  return workspace;
}

/** Opens it to look at what is recorded of it; says first what was cut off in it. */
export async function openToRead(...given: Parameters<typeof openRecorded>): Promise<Workspace> {
  const workspace = await openRecorded(...given);
  await tellCutOff(workspace, given[1]).catch(() => undefined);
  return workspace;
}

/** What killed hosts left running or lying about is cleared away first. */
async function openFolder(directory: string, bounds: Bounds, options: WorkspaceOptions): Promise<Workspace> {
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

type Bounds = Pick<CommandContext, "confinement" | "notice">;

export async function findDirectory(
  cwd: string | undefined,
  { confinement }: Pick<Bounds, "confinement">,
): Promise<string> {
  const target = checkTextPath(resolve(cwd ?? "."));
  const found = await stat(target).catch((cause: unknown) => {
    throw unusableFolder(target, { cause: cause as Error, hint: "Create it first, or name another." });
  });
  if (found.isDirectory()) return await confine(target, confinement);
  throw new SkeinError(`${target} is not a directory`, { kind: "filesystem", target, hint: "Give cwd a directory." });
}

/**
 * Where an agent works: in the folder that is named, and nowhere else; without a name in the recorded workspace that lies around the present
 * folder, which is told, or in that folder.
 */
export async function findAgentFolder(cwd: string | undefined, bounds: Bounds): Promise<string> {
  const directory = await findDirectory(cwd, bounds);
  const above = cwd === undefined ? await findAbove(directory, bounds) : undefined;
  if (above === undefined || above === (await realpath(directory))) return directory;
  bounds.notice(`Working in ${plainLine(above)}, the recorded workspace around this folder; --cwd . works here alone.`);
  return above;
}

/** The recorded workspace that a directory lies in; undefined where nothing is recorded. */
export async function findAbove(
  directory: string,
  { confinement }: Pick<Bounds, "confinement">,
): Promise<string | undefined> {
  const found = await findRecorded(directory, { root: confinement?.root });
  return found === undefined ? undefined : await confine(found, confinement);
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

/** The error of a folder that is missing, or of no use; what is missing is said without Node's own words. */
export function unusableFolder(
  target: string,
  { cause, hint }: { readonly cause: Error; readonly hint: string },
): SkeinError {
  const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
  const message = isMissing
    ? `The working directory ${target} does not exist`
    : `The working directory ${target} cannot be used: ${cause.message}`;
  return new SkeinError(message, { kind: "filesystem", target, hint, cause });
}
