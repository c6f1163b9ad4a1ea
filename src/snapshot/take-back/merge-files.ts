import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobId, type BytePath, collectGit, gitError, isAtOrBelow, toText } from "../../git/index.ts";
import type { FolderNode } from "../capture/tree-node.ts";
import { findRenames } from "../diff-snapshots.ts";
import { compareFiles, type Difference, isSameState, type Listing } from "../listing.ts";
import { fileAt, type SnapshotTree } from "../plain-tree.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import type { FileState } from "../snapshot-store.ts";
import type { Conflict } from "./conflict-error.ts";

/** What becomes of paths where a person and a turn both changed something. */
export type OnConflict = "refuse" | "discard" | "merge";

interface Sides {
  readonly reader: SnapshotReader;
  /** The tree as it is now. */
  readonly root: FolderNode;
  readonly before: SnapshotTree;
  readonly after: SnapshotTree;
  /** What the turn did, backwards: from what was there after it to what was there before. */
  readonly turn: { readonly from: Listing; readonly to: Listing };
  readonly onConflict: OnConflict;
  /** What the two states had left out. */
  readonly leftOut: { readonly before: readonly string[]; readonly after: readonly string[] };
}

interface MergedFiles {
  /** Each path that changes, undefined where it goes. */
  readonly edits: Map<BytePath, FileState | undefined>;
  /** New content, by its ids. */
  readonly blobs: Map<string, Buffer>;
  /** Paths in which both sides' changes were brought together. */
  readonly merged: BytePath[];
  readonly conflicts: Conflict[];
  /** What the state before had left out, so that nobody can tell what it was: it stays. */
  readonly kept: BytePath[];
}

type Merging = Sides & MergedFiles;

/** Takes back what a turn did to files, and keeps what was done to them since. */
export async function mergeFiles(sides: Sides): Promise<MergedFiles> {
  const { reader, before, after, turn } = sides;
  const done: MergedFiles = { edits: new Map(), blobs: new Map(), merged: [], conflicts: [], kept: [] };
  const merging = { ...sides, ...done };
  const open = new Map(compareFiles(turn.from, turn.to).map((difference) => [difference.path, difference]));
  for (const { from, to } of await findRenames(reader, before.tree, after.tree)) {
    if (!(await followRename(merging, open.get(from), open.get(to)))) continue;
    open.delete(from);
    open.delete(to);
  }
  for (const difference of open.values()) await takeBackPath(merging, difference);
  return done;
}

/** A file that the turn renamed and that was changed since goes back to its old name with the change. */
async function followRename(merging: Merging, gone?: Difference, made?: Difference): Promise<boolean> {
  const now = made && fileAt(merging.root, made.path);
  if (!gone?.after || !made?.before || !now || isSame(now, made.before) || fileAt(merging.root, gone.path))
    return false;
  const merged = await mergeStates(merging, made.path, { now, after: made.before, before: gone.after });
  if (merged === undefined) return true;
  merging.edits.set(made.path, undefined);
  merging.edits.set(gone.path, merged);
  return true;
}

async function takeBackPath(merging: Merging, { path, before: after, after: before }: Difference): Promise<void> {
  const { reader, root, leftOut, edits, kept, conflicts, onConflict } = merging;
  const now = fileAt(root, path);
  const isAmong = (paths: readonly string[]): boolean => paths.some((each) => isAtOrBelow(toText(path), each));
  if (!before && now && isAmong(leftOut.before)) return void kept.push(path);
  if (isSame(now, before)) return;
  // Nobody knows what the turn left where that was left out: what is there now is taken for it.
  if (isSame(now, after) || (!after && isAmong(leftOut.after))) return void edits.set(path, before);
  if (now && after && before) {
    const merged = await mergeStates(merging, path, { now, after, before });
    if (merged) edits.set(path, merged);
    return;
  }
  if (!now && after && before) {
    const since = await findRenames(reader, merging.after.tree, root.oid);
    const renamed = since.find(({ from }) => from === path);
    const there = renamed && fileAt(root, renamed.to);
    if (there) {
      const merged = await mergeStates(merging, renamed.to, { now: there, after, before });
      return void (merged && edits.set(renamed.to, merged));
    }
  }
  conflicts.push({ path: toText(path), why: !now ? "deleted" : after ? "created" : "replaced" });
  if (onConflict === "discard") edits.set(path, before);
}

/** Brings content and permissions together, each for itself; undefined where the file stays as it is. */
async function mergeStates(
  merging: Merging,
  path: BytePath,
  { now, after, before }: Readonly<Record<"now" | "after" | "before", FileState>>,
): Promise<FileState | undefined> {
  const mode = now.mode === after.mode ? before.mode : now.mode;
  const clash = (why: Conflict["why"], marked?: FileState): FileState | undefined => {
    merging.conflicts.push({ path: toText(path), why });
    return merging.onConflict === "discard" ? before : merging.onConflict === "merge" ? marked : undefined;
  };
  if (now.kind !== after.kind || after.kind !== before.kind) return clash("replaced");
  if (now.contentId === after.contentId || after.contentId === before.contentId || now.contentId === before.contentId) {
    const { contentId = "" } = now.contentId === after.contentId ? before : now;
    return { kind: now.kind, mode, contentId };
  }
  if (now.kind !== "file") return clash("content");
  const { reader, blobs } = merging;
  const read = async ({ contentId = "" }: FileState): Promise<Buffer> =>
    blobs.get(contentId) ?? (await reader.objects.content(contentId));
  const texts = { now: await read(now), after: await read(after), before: await read(before) };
  const result = await mergeContent(reader.repository.gitDirectory, texts);
  if (!result) return clash("content");
  const contentId = blobId(result.content);
  blobs.set(contentId, result.content);
  const made: FileState = { kind: "file", mode, contentId };
  if (result.isMarked) return clash("content", made);
  merging.merged.push(path);
  return made;
}

function isSame(left: FileState | undefined, right: FileState | undefined): boolean {
  return left && right ? isSameState(left, right) : left === right;
}

/** Merges texts line by line as git does, with marks where both changed the same lines; undefined where it is not text. */
async function mergeContent(gitDirectory: string, texts: Readonly<Record<"now" | "after" | "before", Buffer>>) {
  const folder = await mkdtemp(join(tmpdir(), "skein-merge-"));
  try {
    for (const [name, content] of Object.entries(texts)) await writeFile(join(folder, name), content);
    const labels = ["since the turn", "after the turn", "before the turn"].flatMap((label) => ["-L", label]);
    const args = ["merge-file", "-p", ...labels, "now", "after", "before"];
    const { stdout: content, ...ended } = await collectGit({ gitDirectory, cwd: folder, args });
    // The number of conflicts, at most 127; more is a failure, and that one means what is not text.
    if (ended.exitCode === 255) return undefined;
    if (ended.exitCode === null || ended.exitCode > 127) throw gitError("merge-file", ended);
    return { content, isMarked: ended.exitCode !== 0 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
