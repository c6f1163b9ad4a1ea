import { copyFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createId, SkeinError } from "../../core/internal.ts";
import { errorCode, listRefs, runGit, storageError, syncFile, syncFolder } from "../../git/index.ts";
import { temporaryPlace } from "../../snapshot/index.ts";
import { listStates } from "../states/list-states.ts";
import type { StateId } from "../states/state-commit.ts";
import { CHECKPOINTS, CONVERSATIONS, NOTES } from "../states/state-refs.ts";
import type { Workspace } from "../workspace.ts";
import { fetchStates } from "./transfer.ts";
import { runUserGit, type UserGitEnd } from "./user-git.ts";

/** Writes a conversation into one file, a git bundle: everything that led to it, with the rewards, notes and checkpoints on the way. */
export async function saveConversation(workspace: Workspace, conversationId: string, file: string): Promise<void> {
  const tip = await workspace.states.tip(conversationId);
  if (tip === undefined) {
    const message = `There is no conversation ${conversationId}`;
    throw new SkeinError(message, { kind: "state_not_found", target: conversationId });
  }
  const refs = [`${CONVERSATIONS}${conversationId}`, ...(await namesOnTheWay(workspace, tip))];
  // Git would leave a lock beside the file if it were killed, and refuse the next save there.
  const made = await temporaryPlace(workspace.home, "save");
  // For its owner's eyes: everything that the agent was told is in it, and files of the workspace that only the owner may read.
  const settings = ["core.sharedRepository=0600"];
  try {
    const { gitDirectory } = workspace;
    await runGit({ gitDirectory, args: ["bundle", "create", "--quiet", made, "--stdin"], input: refs, settings });
    await syncFile(made);
    await putInPlace(made, resolve(file));
  } catch (cause) {
    await rm(made, { force: true });
    throw storageError("The conversation could not be written", file, cause);
  }
}

/** The checkpoints and notes that belong to a state or to one that led to it. */
async function namesOnTheWay({ gitDirectory }: Workspace, tip: StateId): Promise<readonly string[]> {
  const states = new Set(await listStates(gitDirectory, [tip]));
  const checkpoints = [...(await listRefs(gitDirectory, CHECKPOINTS))].filter(([, id]) => states.has(id));
  const notes = [...(await listRefs(gitDirectory, NOTES)).keys()].filter((id) => states.has(id));
  return [...checkpoints.map(([name]) => `${CHECKPOINTS}${name}`), ...notes.map((id) => `${NOTES}${id}`)];
}

/** Whole or not at all, on another disk too. */
async function putInPlace(made: string, file: string): Promise<void> {
  try {
    await rename(made, file);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    const half = join(dirname(file), `.${basename(file)}.${createId()}`);
    await copyFile(made, half);
    await syncFile(half);
    await rename(half, file);
    await rm(made, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Takes the conversations of such a file in, and gives them with their tips. What has the same name here stays as it is. */
export async function loadConversations(workspace: Workspace, file: string): Promise<ReadonlyMap<string, StateId>> {
  const path = resolve(file);
  const stats = await stat(path).catch((cause: unknown) => {
    if (errorCode(cause) !== "ENOENT") throw storageError("The file cannot be read", file, cause);
    const hint = "Give a file written by skein save";
    throw new SkeinError(`There is no file ${file}`, { kind: "filesystem", target: file, hint, cause });
  });
  if (!stats.isFile()) throw notSaved(file);
  const heads = await runUserGit(workspace.gitDirectory, ["bundle", "list-heads", path]);
  const names = heads.stdout.split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
  const found = names.flatMap((ref) => (ref.startsWith(CONVERSATIONS) ? [ref.slice(CONVERSATIONS.length)] : []));
  if (found.length === 0) throw notSaved(file, heads.stderr.trim() || undefined);
  const failed = (end: UserGitEnd): SkeinError => notSaved(file, end.stderr.trim());
  const refspecs = [...EVERY_TIME, ...(await newCheckpoints(workspace, names))];
  const refs = await fetchStates(workspace, { address: path, refspecs, signal: undefined, failed });
  const rejected = refs.find(({ status, ref }) => status === "rejected" && ref.startsWith(CONVERSATIONS));
  if (rejected?.problem) throw rejected.problem;
  if (rejected) {
    throw new SkeinError(`${rejected.ref} has continued differently here`, {
      kind: "usage",
      target: file,
      hint: "Nothing was changed; load it into another workspace to compare",
    });
  }
  const tips = [...(await workspace.states.conversations())].filter(([id]) => found.includes(id));
  // Git passes over a name that it does not take.
  if (tips.length === 0) throw notSaved(file);
  return new Map(tips);
}

const EVERY_TIME = [`${CONVERSATIONS}*:${CONVERSATIONS}*`, `+${NOTES}*:${NOTES}*`];

/** A checkpoint that has this name here means another state, to whoever named it. */
async function newCheckpoints({ gitDirectory }: Workspace, names: readonly string[]): Promise<readonly string[]> {
  const here = await listRefs(gitDirectory, CHECKPOINTS);
  const plain = names.filter((ref) => ref.startsWith(CHECKPOINTS) && /^[\w./-]+$/u.test(ref));
  return plain.filter((ref) => !here.has(ref.slice(CHECKPOINTS.length))).map((ref) => `${ref}:${ref}`);
}

function notSaved(file: string, cause?: string): SkeinError {
  return new SkeinError(`${file} holds no readable conversation`, {
    kind: "parse",
    target: file,
    hint: "Give a file written by skein save",
    cause,
  });
}
