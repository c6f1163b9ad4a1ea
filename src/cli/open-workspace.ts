import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { checkTextPath, SkeinError } from "../core/index.ts";
import { clearLeftovers } from "../engine/index.ts";
import { confine } from "../protocol/index.ts";
import { Workspace, type WorkspaceOptions } from "../workspace/index.ts";
import type { CommandContext } from "./command-context.ts";
import { clearBranches, tellCutOff, tellLostRecord } from "./states/tell-cut-off.ts";
import { textFlag } from "./common-flags.ts";

/** The flag that says which workspace is meant. */
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

/** What a command's context says about where it may work. */
type Bounds = Pick<CommandContext, "confinement" | "notice">;

/** The directory that is meant, which has to be there. */
export async function findDirectory(
  cwd: string | undefined,
  { confinement }: Pick<Bounds, "confinement">,
): Promise<string> {
  const directory = checkTextPath(resolve(cwd ?? "."));
  const found = await stat(directory).catch((cause: unknown) => {
    throw new SkeinError(`The working directory ${directory} cannot be used: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: directory,
      hint: "Create it first, or name another.",
      cause,
    });
  });
  if (found.isDirectory()) return await confine(directory, confinement);
  throw new SkeinError(`${directory} is not a directory`, {
    kind: "filesystem",
    target: directory,
    hint: "Give cwd a directory.",
  });
}
