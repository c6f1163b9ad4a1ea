import { blobId, type BytePath, isAtOrBelow, toText } from "../../git/index.ts";
import type { CaptureContext, Memory } from "../capture/capture-context.ts";
import { capture } from "../capture/capture.ts";
import { createSnapshotWriter } from "../capture/snapshot-writer.ts";
import { findRenames } from "../diff-snapshots.ts";
import { compareFiles, listPair } from "../listing.ts";
import { type PlainFolder, readPlainTree, type SnapshotTree, withTree } from "../plain-tree.ts";
import { type ChangeHooks, restore } from "../restore/restore.ts";
import { type PlainFile, type SnapshotReader, topEntries } from "../snapshot-reader.ts";
import type { FileState, Restoration, RestoreOptions } from "../snapshot-store.ts";
import { type Conflict, ConflictError } from "./conflict-error.ts";
import { editTree, fileAt, settlePlaces } from "./edit-tree.ts";
import { mergeContent, type MergedFiles, mergeFiles, type OnConflict } from "./merge-files.ts";
import { type MergedGit, mergeGit } from "./merge-git.ts";

interface TakeBackRequest extends ChangeHooks {
  readonly directory: string;
  readonly before: string;
  /** None where nobody has recorded it: then what is there now is taken for it. */
  readonly after: string | undefined;
  readonly options: TakeBackOptions;
  readonly memory: Memory | undefined;
}

/** How something is taken back. */
export interface TakeBackOptions extends RestoreOptions {
  /** Where a person and the turn changed the same lines: refuse, which is the default, take the person's change too, or write both with marks. */
  readonly onConflict?: OnConflict;
  /** What the two states had left out, so that nobody knows what it was. */
  readonly leftOut?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** What became of a turn that was taken back. */
export interface TakenBack extends Restoration {
  /** Files that were changed or made since the turn, and stay so. */
  readonly keptSince: readonly string[];
  /** Files in which the turn's change was taken back and a later one kept. */
  readonly merged: readonly string[];
  /** Where both changed the same, and how it was asked to be settled. */
  readonly conflicts: readonly Conflict[];
}

/**
 * Takes back what led from one snapshot to another, and keeps what was done to the files and the repository since: a merge of
 * three trees, which is then restored like any snapshot, and proven.
 */
export async function takeBack(
  context: CaptureContext,
  { directory, before: beforeId, after: afterId, options, memory, beforeChange }: TakeBackRequest,
): Promise<{ readonly takenBack: TakenBack; readonly memory: Memory }> {
  const likely = { before: await readPlainTree(context, beforeId, memory?.root) };
  const known = afterId === undefined ? likely.before : await readPlainTree(context, afterId, memory?.root);
  const required = joinFolders(likely.before.root, known.root);
  const now = await capture(context, { directory, options, memory, required });
  const { root } = now.memory;
  const top = await topEntries(context, now.snapshot.id);
  const before = await readPlainTree(context, beforeId, root);
  const after = afterId === undefined ? { root, top } : await readPlainTree(context, afterId, root);
  const sides = { reader: context, options, root, before, after };
  const blobs = new Map<string, Buffer>();
  const files = await mergeSides(sides, blobs);
  const edits = new Map(files.edits);
  const { onConflict = "refuse" } = options;
  const places = settlePlaces(root, edits, onConflict);
  const git = await mergeGit(context, { now: top, after: after.top, before: before.top, onConflict });
  const conflicts = [...files.conflicts, ...places, ...git.conflicts];
  if (conflicts.length > 0 && onConflict === "refuse") throw clash(conflicts);
  const id = await write(context, sides, { edits, git, blobs, now: now.memory });
  const done = await restore(context, { id, directory, options, memory: now.memory, beforeChange });
  const touched = new Set([...edits.keys(), ...files.merged]);
  const since = listPair(withTree(after), { root, tree: root.oid });
  const changedSince = compareFiles(since.from, since.to).map(({ path }) => path);
  const keptSince = changedSince.filter((path) => !touched.has(path)).toSorted();
  const told = { keptSince: keptSince.map(toText), merged: files.merged.map(toText), conflicts };
  const kept = [...new Set([...done.restoration.kept, ...files.kept.map(toText)])].toSorted();
  // What is merged holds no repository that is gone; what is taken back to does.
  const isGone = done.restoration.git === "absent" && before.top.has("git.json");
  const word = isGone ? ("missing" as const) : done.restoration.git;
  return { takenBack: { ...done.restoration, ...told, kept, git: word }, memory: done.memory };
}

interface Sides {
  readonly reader: SnapshotReader;
  readonly options: TakeBackOptions;
  readonly root: Memory["root"];
  readonly before: SnapshotTree;
  readonly after: SnapshotTree;
}

async function mergeSides(sides: Sides, blobs: Map<string, Buffer>): Promise<MergedFiles> {
  const { reader, root, before, after, options } = sides;
  const { from, to } = listPair(withTree(after), withTree(before));
  const { leftOut = { before: [], after: [] } } = options;
  const content = async (oid: string): Promise<Buffer> => blobs.get(oid) ?? (await reader.objects.content(oid));
  return await mergeFiles({
    turn: compareFiles(from, to),
    turnRenames: await renames(reader, before.top.get("files"), after.top.get("files")),
    renamesSince: () => renames(reader, after.top.get("files"), root.oid),
    now: (path) => fileAt(root, path),
    wasLeftOut: (path, when) => leftOut[when].some((each) => isAtOrBelow(toText(path), each)),
    async merge({ now: n, after: a, before: b }) {
      const texts = { now: await content(n), after: await content(a), before: await content(b) };
      return await mergeContent(reader.repository.gitDirectory, texts);
    },
    async keep(merged) {
      const oid = blobId(merged);
      blobs.set(oid, merged);
      return oid;
    },
    onConflict: options.onConflict ?? "refuse",
  });
}

async function renames(
  reader: SnapshotReader,
  from: string | undefined,
  to: string | undefined,
): Promise<ReadonlyMap<BytePath, BytePath>> {
  const found = await findRenames(reader, from, to);
  return new Map(found.map((rename) => [rename.from, rename.to]));
}

/** Writes the merged tree as a snapshot like any other, and gives its id. */
async function write(
  context: CaptureContext,
  { root, before, after, options }: Sides,
  { edits, git, blobs, now }: Merged,
): Promise<string> {
  const folders = listPair(withTree(after), withTree(before));
  const tree = editTree(root, { edits, after: folders.from, before: folders.to });
  const writer = createSnapshotWriter(context, { memory: now, signal: options.signal });
  try {
    for (const [oid, content] of blobs) await writer.keep(oid, content);
    return await writer.commit({ root: tree, gitFiles: git.sidecars, stagedTree: git.objectsTree });
  } finally {
    await writer.close();
  }
}

interface Merged {
  readonly edits: ReadonlyMap<BytePath, FileState | undefined>;
  readonly git: MergedGit;
  /** Content that the store may not hold, by its ids. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** The tree that it was made from, which is in the store. */
  readonly now: Memory;
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
  return new ConflictError(
    `${what} by the turn and again since`,
    conflicts,
    "Nothing was changed. --merge keeps both, with conflict marks; --discard drops the later changes",
  );
}
