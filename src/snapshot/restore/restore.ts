import { SkeinError } from "../../core/internal.ts";
import { type BytePath, foldersAbove, realDirectory, storageError, toBytePath, toText } from "../../git/index.ts";
import type { CaptureContext, Memory } from "../capture/capture-context.ts";
import { capture, type CaptureRequest } from "../capture/capture.ts";
import type { TreeNode } from "../capture/tree-node.ts";
import { diffListings } from "../diff-snapshots.ts";
import { withoutDroppings } from "../left-out/droppings.ts";
import { type Listing, listPair, type SnapshotListing } from "../listing.ts";
import { readPlainTree, type SnapshotTree, withoutPaths } from "../plain-tree.ts";
import { type SnapshotReader, topEntries } from "../snapshot-reader.ts";
import type { FileChange, Restoration, RestoreOptions, Snapshot } from "../snapshot-store.ts";
import { dataPaths } from "../store/data-paths.ts";
import { type GitPlan, planGitRestore } from "../user-git/restore-git-state.ts";
import { applyListing } from "./apply-listing.ts";
import { checkObstacles, type ClosedPath, findClosed, openClosed } from "./obstacles.ts";

export interface ChangeHooks {
  /** Called before the first file is changed, with the snapshot that is restored and that of what was there. */
  readonly beforeChange?:
    | ((change: { readonly snapshotId: string; readonly undo: string }) => Promise<void>)
    | undefined;
}

interface RestoreRequest extends Pick<CaptureRequest, "directory" | "memory"> {
  readonly id: string;
  readonly options: RestoreOptions & ChangeHooks;
}

/** Makes a directory equal to a snapshot: captures, changes, reads again and compares. */
export async function restore(
  context: CaptureContext,
  { id, directory, options, memory }: RestoreRequest,
): Promise<{ readonly restoration: Restoration; readonly memory: Memory }> {
  // While the files are looked at, which is what is waited for.
  const reading = readGoal(context, { id, directory, memory });
  const request = { directory, options, required: reading.then(({ root: required }) => required) };
  const isSpared = createSpared(options.spare ?? []);
  const { before, closed, root } = await captureOpened(context, { ...request, memory }, { reading, isSpared });
  const goal = await reading;
  const undo = before.snapshot.id;
  const { from, target } = listToChange(before.memory, goal, isSpared);
  checkReadable(before.snapshot, target, closed);
  if (closed.length === 0) checkObstacles(root, from, target);
  const changes = await diffListings(context, from, target);
  const git = await planGitRestore(context, { directory, target, now: before.snapshot.git });
  if (options.dryRun) {
    const word = git.change ? "would-restore" : git.word;
    return { restoration: { changes, undo, kept: [], git: word }, memory: before.memory };
  }
  try {
    await options.beforeChange?.({ snapshotId: id, undo });
    const { objects } = context;
    const left = await applyListing({ root, from, to: target }, { objects, signal: options.signal });
    await git.change?.();
    const after = await capture(context, { ...request, memory: before.memory });
    const proof = { id, goal, left, isSpared, after: after.memory, before: before.memory, git: git.word };
    const kept = await prove(context, proof);
    const word = git.change ? "restored" : git.word;
    // A folder that could not be removed, for what is in it, is kept and not deleted.
    const there = new Set(kept);
    const done = changes.filter(
      ({ type, path, pathBytes }) => type !== "deleted" || !there.has(toBytePath(pathBytes ?? path)),
    );
    return { restoration: { changes: done, undo, kept: kept.map(toText), git: word }, memory: after.memory };
  } catch (cause) {
    const error = storageError(`The restore of ${id} did not finish`, directory, cause);
    throw new SkeinError(`${error.message}; the files before it are in the snapshot ${undo}`, {
      kind: error.kind,
      target: error.target,
      hint: error.hint ?? `Restore again, or restore ${undo} to go back`,
      retryable: error.retryable,
      cause,
    });
  }
}

/** What the directory is to be. Whoever wrote the snapshot, it must not write to Skein's own data. */
async function readGoal(
  context: CaptureContext,
  { id, directory, memory }: Pick<RestoreRequest, "id" | "directory" | "memory">,
): Promise<SnapshotTree> {
  const snapshot = await readPlainTree(context, id, memory?.root);
  const foreign = withoutPaths(snapshot.root, dataPaths(context.repository, directory));
  return { ...snapshot, root: withoutDroppings(foreign) };
}

/** Captures what is there. What is closed only by its permissions is opened first, unless nothing is to be changed. */
async function captureOpened(
  context: CaptureContext,
  request: CaptureRequest & { readonly options: RestoreOptions },
  { reading, isSpared }: Pick<Proof, "isSpared"> & { readonly reading: Promise<SnapshotTree> },
) {
  const root = toBytePath(await realDirectory(request.directory));
  for (let memory = request.memory; ;) {
    const before = await capture(context, { ...request, memory });
    const goal = await reading;
    const closed = findClosed(root, before.snapshot, listToChange(before.memory, goal, isSpared).target);
    if (closed.length === 0 || request.options.dryRun) return { before, closed, root };
    openClosed(root, closed);
    memory = before.memory;
  }
}

/** What was left out of the snapshot at these paths cannot be brought back, and what is there now is not deleted. */
function createSpared(spare: readonly string[]): (path: BytePath) => boolean {
  const spared = new Set(spare);
  if (spared.size === 0) return () => false;
  return (path) => [toText(path), ...foldersAbove(toText(path))].some((each) => spared.has(each));
}

/** A file that cannot be read cannot be captured, and so must not be written over. */
function checkReadable(snapshot: Snapshot, target: Listing, closed: readonly ClosedPath[]): void {
  const wanted = new Set([...target.files.keys()].map(toText));
  for (const { path } of closed) wanted.delete(path);
  const lost = snapshot.leftOut.find(({ path, reason }) => wanted.has(path) && reason !== "special-file");
  if (!lost) return;
  throw new SkeinError(`${lost.path} is ${lost.reason} and cannot be captured before it is overwritten`, {
    kind: "filesystem",
    target: lost.path,
    hint: "Move it away or make it readable, and restore again; nothing was changed",
  });
}

interface Proof {
  readonly id: string;
  readonly goal: SnapshotTree;
  /** Folders that could not be removed, for they hold what no snapshot does, such as a repository's own `.git`. */
  readonly left: readonly BytePath[];
  readonly before: Memory;
  readonly after: Memory;
  readonly isSpared: (path: BytePath) => boolean;
  readonly git: GitPlan["word"];
}

/** Compares the tree that is there now with the snapshot; gives what was left because no snapshot holds it. */
async function prove(
  reader: SnapshotReader,
  { id, goal, left, before, after, isSpared, git }: Proof,
): Promise<readonly BytePath[]> {
  if (after.id === id) return [];
  const { from: target, to: now } = listPair(goal, { root: after.root, tree: after.root.oid });
  const differences = await diffListings(reader, target, now);
  const isLeft = (path: BytePath): boolean => wasIgnored(before, path) || isSpared(path);
  const shown = [...now.files.keys()].filter((path) => !target.files.has(path) && isLeft(path));
  const kept = [...shown, ...left.filter((folder) => now.folders.has(folder))].toSorted();
  const explained = (change: FileChange): boolean => {
    const path = toBytePath(change.pathBytes ?? change.path);
    if (change.type === "created")
      return kept.includes(path) || isLeft(path) || kept.some((each) => each.startsWith(`${path}/`));
    return change.type === "deleted" && change.before.kind === "directory" && now.folders.has(path);
  };
  const wrong = differences.find((change) => !explained(change));
  if (wrong) throw notEqual(wrong.path);
  const top = await topEntries(reader, after.id);
  const isSameGit = ["git.json", "git-index"].every((name) => goal.top.get(name) === top.get(name));
  if (git === "same" && !isSameGit) throw notEqual(".git");
  return kept;
}

/** What is there and what shall be, but for what is the same. An ignored file that the snapshot does not hold stays. */
function listToChange(memory: Memory, goal: SnapshotTree, isSpared: (path: BytePath) => boolean) {
  const { from, to } = listPair({ root: memory.root, tree: memory.root.oid }, goal);
  const files = [...from.files].filter(([path]) => to.files.has(path) || !(wasIgnored(memory, path) || isSpared(path)));
  const target: SnapshotListing = { ...to, top: goal.top };
  return { from: { ...from, files: new Map(files) }, target };
}

function wasIgnored({ root }: Memory, path: BytePath): boolean {
  let node: TreeNode | undefined = root;
  for (const name of path.split("/")) {
    if (node?.kind !== "folder") return false;
    if (node.ignored.has(name)) return true;
    node = node.entries.get(name);
  }
  return false;
}

function notEqual(path: string): SkeinError {
  return new SkeinError(`After the restore, ${path} does not match the snapshot`, {
    kind: "filesystem",
    target: path,
    retryable: true,
    hint: "Something else is writing to the workspace; stop it and restore again",
  });
}
