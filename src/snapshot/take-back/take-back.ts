import { type BytePath, toText } from "../../git/index.ts";
import type { CaptureContext, Memory } from "../capture/capture-context.ts";
import { capture, type CaptureRequest } from "../capture/capture.ts";
import { createSnapshotWriter } from "../capture/snapshot-writer.ts";
import { compareFiles, listPair } from "../listing.ts";
import { type PlainFolder, readPlainTree } from "../plain-tree.ts";
import { type ChangeHooks, restore } from "../restore/restore.ts";
import { type PlainFile, topEntries } from "../snapshot-reader.ts";
import type { Restoration, RestoreOptions } from "../snapshot-store.ts";
import { type Conflict, ConflictError } from "./conflict-error.ts";
import { editTree, settlePlaces } from "./edit-tree.ts";
import { mergeFiles, type OnConflict } from "./merge-files.ts";
import { mergeGit } from "./merge-git.ts";

interface TakeBackRequest extends Pick<CaptureRequest, "directory" | "memory"> {
  readonly before: string;
  /** None where nobody has recorded it: then what is there now is taken for it. */
  readonly after: string | undefined;
  readonly options: TakeBackOptions & ChangeHooks;
}

export interface TakeBackOptions extends RestoreOptions {
  /** Where a person and the turn changed the same lines: refuse, which is the default, take the person's change too, or write both with marks. */
  readonly onConflict?: OnConflict;
  /** What the two states had left out, so that nobody knows what it was. */
  readonly leftOut?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

export interface TakenBack extends Restoration {
  /** Files that were changed or made since the turn, and stay so. */
  readonly keptSince: readonly string[];
  /** Files in which the turn's change was taken back and a later one kept. */
  readonly merged: readonly string[];
  /** Where both changed the same, and how it was asked to be settled. */
  readonly conflicts: readonly Conflict[];
}

/** Merges three trees, so that what was done since is kept; the result is restored like any snapshot, and proven. */
export async function takeBack(
  context: CaptureContext,
  { directory, before: beforeId, after: afterId, options, memory }: TakeBackRequest,
): Promise<{ readonly takenBack: TakenBack; readonly memory: Memory }> {
  const required = readRequired(context, { beforeId, afterId, memory });
  const now = await capture(context, { directory, options, memory, required });
  const { root } = now.memory;
  const top = await topEntries(context, now.snapshot.id);
  const before = await readPlainTree(context, beforeId, root);
  const current = { root, top, tree: root.oid };
  const after = afterId === undefined ? current : await readPlainTree(context, afterId, root);
  const { onConflict = "refuse", leftOut = { before: [], after: [] } } = options;
  const turn = listPair(after, before);
  const files = await mergeFiles({ reader: context, root, before, after, turn, onConflict, leftOut });
  const { edits } = files;
  const places = settlePlaces(root, edits, onConflict);
  const git = await mergeGit(context, { now: top, after: after.top, before: before.top, onConflict });
  const conflicts = [...files.conflicts, ...places, ...git.conflicts];
  if (conflicts.length > 0 && onConflict === "refuse") throw clash(conflicts);
  const tree = editTree(root, { edits, after: turn.from, before: turn.to });
  const writer = createSnapshotWriter(context, { memory: now.memory, signal: options.signal });
  let id: string;
  try {
    for (const [oid, content] of files.blobs) await writer.keep(oid, content);
    id = await writer.commit({ root: tree, gitFiles: git.sidecars, stagedTree: git.objectsTree });
  } finally {
    await writer.close();
  }
  const done = await restore(context, { id, directory, options, memory: now.memory });
  const touched = new Set([...edits.keys(), ...files.merged]);
  const since = listPair(after, current);
  const changedSince = compareFiles(since.from, since.to).map(({ path }) => path);
  const keptSince = changedSince.filter((path) => !touched.has(path)).toSorted();
  const told = { keptSince: keptSince.map(toText), merged: files.merged.map(toText), conflicts };
  const kept = [...new Set([...done.restoration.kept, ...files.kept.map(toText)])].toSorted();
  // What is merged holds no repository that is gone; what is taken back to does.
  const isGone = done.restoration.git === "absent" && before.top.has("git.json");
  const word = isGone ? ("missing" as const) : done.restoration.git;
  return { takenBack: { ...done.restoration, ...told, kept, git: word }, memory: done.memory };
}

interface RequiredStates extends Pick<CaptureRequest, "memory"> {
  readonly beforeId: string;
  readonly afterId: string | undefined;
}

/** What either state has, as far as can be told before the directory was looked at. */
async function readRequired(
  context: CaptureContext,
  { beforeId, afterId, memory }: RequiredStates,
): Promise<PlainFolder> {
  const likely = await readPlainTree(context, beforeId, memory?.root);
  const known = afterId === undefined ? likely : await readPlainTree(context, afterId, memory?.root);
  return joinFolders(likely.root, known.root);
}

/** All that either tree holds: a restore may be about to write over it, or to delete it. */
function joinFolders(left: PlainFolder, right: PlainFolder): PlainFolder {
  if (left === right) return left;
  const entries = new Map<BytePath, PlainFile | PlainFolder>(left.entries);
  for (const [name, node] of right.entries) {
    const other = entries.get(name);
    if (node.kind === "folder" && other?.kind === "folder") entries.set(name, joinFolders(other, node));
    else if (other?.kind !== "folder") entries.set(name, node);
  }
  return { ...left, entries };
}

function clash(conflicts: readonly Conflict[]): ConflictError {
  const what = conflicts.length === 1 ? "This was changed" : "These were changed";
  const hint = "Nothing was changed. `merge` keeps both, with conflict marks; `discard` drops the later changes";
  return new ConflictError(`${what} by the turn and again since`, conflicts, hint);
}
