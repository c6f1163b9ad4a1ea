import type { HeldLock } from "../../database/index.ts";
import {
  blobId,
  type BytePath,
  type ImportStream,
  joinBytePath,
  type NewObject,
  objectId,
  startImport,
  treeContent,
  type TreeEdit,
  type TreeEntry,
  treeId,
  writePack,
} from "../../git/index.ts";
import { formatFilesMeta } from "../files-meta.ts";
import { hasSnapshots, SNAPSHOTS } from "../store/pack-store.ts";
import { sweepRemains } from "../store/sweep-remains.ts";
import type { CaptureContext, Memory } from "./capture-context.ts";
import { type FolderNode, gitMode, treeLines, type TreeNode } from "./tree-node.ts";

interface NewSnapshot {
  readonly root: FolderNode;
  /** `git.json` and `git-index`, where there is a repository. */
  readonly gitFiles: ReadonlyMap<string, Buffer>;
  /** The id of `git-index`, which may be large, where it is known. */
  readonly indexId?: string | undefined;
  readonly stagedTree: string | undefined;
  /** Objects that the store was given while the files were looked at. */
  readonly copied?: ReadonlySet<string>;
}

/** As much is held back and written as one pack; more goes to git as it comes. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_OBJECTS = 1000;
/** Of folders, which are small, more are written so: git takes a line for each file of them. */
const MOST_TREES = 5000;

export type SnapshotWriter = ReturnType<typeof createSnapshotWriter>;

/** Takes the new content of a snapshot and, at its end, makes it a snapshot: all of it, or nothing. */
export function createSnapshotWriter(
  context: CaptureContext,
  { memory, signal }: { readonly memory: Memory | undefined; readonly signal: AbortSignal | undefined },
) {
  const { gitDirectory } = context.repository;
  const blobs = new Map<string, NewObject>();
  const isFirst = !memory && !hasSnapshots(context.repository);
  let bytes = 0;
  let lock: HeldLock | undefined;
  let stream: ImportStream | undefined;
  let done = false;
  const takeLock = async (): Promise<HeldLock> => (lock ??= await context.lock());
  const startStream = async (): Promise<ImportStream> => {
    await takeLock();
    await context.objects.refresh();
    stream ??= startImport(gitDirectory, signal);
    const held = [...blobs.values()];
    bytes = 0;
    blobs.clear();
    for (const { content } of memory ? await onlyNew(context, held) : held) await stream.blob(content);
    return stream;
  };
  const commitSmall = async (ref: string, objects: readonly NewObject[]): Promise<void> => {
    const added = await sift(context, { wanted: [...blobs.values(), ...objects], isFirst, takeLock });
    signal?.throwIfAborted();
    await writePack(gitDirectory, added, { ref, to: objects.at(-1)?.oid ?? "" });
  };
  return {
    async keep(oid: string, content: Buffer): Promise<void> {
      if (blobs.has(oid)) return;
      blobs.set(oid, { oid, type: "blob", content });
      bytes += content.length;
      if (bytes > MOST_BYTES || blobs.size > MOST_OBJECTS) await startStream();
    },
    /** Writes what the store does not hold, the ref last, and gives the snapshot's id. */
    async commit(given: NewSnapshot): Promise<string> {
      const snapshot = seal(given);
      const { id, ref, root } = snapshot;
      if (!isFirst && (await context.objects.info(ref))) return id;
      try {
        const trees = stream ? undefined : newTrees(memory?.root, root, given.copied);
        if (trees) await commitSmall(ref, objectsOf(snapshot, trees));
        else await commitStream(await startStream(), snapshot, memory);
        done = true;
      } catch (error) {
        // A git that a killed process left may have written the same snapshot in the meantime.
        if (!(await context.objects.info(ref))) throw error;
      }
      return id;
    },
    /** Lets go of the store; what was kept without a commit is dropped. */
    async close(): Promise<void> {
      if (stream && !done) await stream.abort();
      // What a writer that failed leaves half written may be what fills the disk.
      if (lock && !done) await sweepRemains(context.repository, context.clock.now());
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

/** Asks git what is new while the lock is taken. What was there then may have been removed before it was held: that is asked once more. */
async function sift(
  context: CaptureContext,
  { wanted, isFirst, takeLock }: { wanted: readonly NewObject[]; isFirst: boolean; takeLock(): Promise<HeldLock> },
) {
  const all = [...new Map(wanted.map((each) => [each.oid, each])).values()];
  const asked = isFirst ? Promise.resolve(all) : onlyNew(context, all);
  // Heard below; until then the lock may fail first.
  asked.catch(() => undefined);
  await takeLock();
  const missing = new Set(await asked);
  await context.objects.refresh();
  const there = all.filter((each) => !missing.has(each));
  const gone = new Set(await onlyNew(context, there));
  return all.filter((each) => missing.has(each) || gone.has(each));
}

type SealedSnapshot = ReturnType<typeof seal>;

function seal({ root, gitFiles, indexId, stagedTree }: NewSnapshot) {
  const files = [["files.meta", formatFilesMeta(root)] as const, ...gitFiles];
  const sidecars = files.map(([name, content]) => {
    const oid = (name === "git-index" ? indexId : undefined) ?? blobId(content);
    return { name, mode: "100644", oid, type: "blob" as const, content };
  });
  const folder = (name: string, oid: string | undefined): readonly TreeEntry[] =>
    oid === undefined ? [] : [{ mode: "40000", name, oid }];
  const entries = [...sidecars, ...folder("files", root.oid), ...folder("git-objects", stagedTree)];
  const id = treeId(entries);
  return { id, ref: `${SNAPSHOTS}${id}`, root, entries, sidecars };
}

/** Asked together: each answer by itself is a way to git and back. */
async function onlyNew({ objects }: CaptureContext, wanted: readonly NewObject[]): Promise<readonly NewObject[]> {
  const answers = await Promise.all(wanted.map(({ oid }) => objects.info(oid)));
  return wanted.filter((_, index) => answers[index] === undefined);
}

/** What a snapshot is made of but for its files; the commit, whose author and time are fixed so that it is the same for the same tree, comes last. */
function objectsOf({ id, entries, sidecars }: SealedSnapshot, trees: readonly NewObject[]): readonly NewObject[] {
  const who = "Skein <skein@localhost> 0 +0000";
  const commit = Buffer.from(`tree ${id}\nauthor ${who}\ncommitter ${who}\n\n`);
  const top = { oid: id, type: "tree" as const, content: treeContent(entries) };
  return [...sidecars, ...trees, top, { oid: objectId("commit", commit), type: "commit", content: commit }];
}

async function commitStream(
  stream: ImportStream,
  { ref, id, entries, root, sidecars }: SealedSnapshot,
  memory: Memory | undefined,
): Promise<void> {
  for (const { content } of sidecars) await stream.blob(content);
  const beside = entries.filter(({ name }) => name !== "files");
  const edits: readonly TreeEdit[] = [
    ...["git.json", "git-index", "git-objects"].map((path) => ({ type: "remove" as const, path })),
    ...treeEdits(memory?.root, root, "files"),
    ...beside.map(({ mode, name, oid }) => ({ type: "set" as const, path: name, mode, oid })),
  ];
  await stream.commit({ ref, tree: id, base: memory?.id, edits });
}

/** The git trees of a folder that another does not have in the same place, and that the store was not given; undefined where there are many. */
function newTrees(
  before: FolderNode | undefined,
  after: FolderNode,
  copied: ReadonlySet<string> = new Set(),
): readonly NewObject[] | undefined {
  const trees: NewObject[] = [];
  const visit = (was: FolderNode | undefined, folder: FolderNode): void => {
    if (folder.oid === undefined || folder.oid === was?.oid || trees.length > MOST_TREES) return;
    if (!copied.has(folder.oid)) {
      trees.push({ oid: folder.oid, type: "tree", content: treeContent(treeLines(folder.entries)) });
    }
    for (const [name, node] of folder.entries) {
      const old = was?.entries.get(name);
      if (node.kind === "folder") visit(old?.kind === "folder" ? old : undefined, node);
    }
  };
  visit(before, after);
  return trees.length > MOST_TREES ? undefined : trees;
}

/** The edits that make one tree of another, below a path. Folders that are the same object are passed over whole. */
function* treeEdits(before: FolderNode | undefined, after: FolderNode, path: BytePath): Generator<TreeEdit> {
  if (before && before.oid === after.oid) return;
  for (const [name, node] of before?.entries ?? []) {
    if (inGit(node) && !inGit(after.entries.get(name))) yield { type: "remove", path: joinBytePath(path, name) };
  }
  for (const [name, node] of after.entries) {
    const was = before?.entries.get(name);
    if (was === node) continue;
    const below = joinBytePath(path, name);
    if (node.kind === "folder") {
      if (was && was.kind !== "folder" && inGit(node)) yield { type: "remove", path: below };
      yield* treeEdits(was?.kind === "folder" ? was : undefined, node, below);
    } else if (was?.kind !== node.kind || was.oid !== node.oid || gitMode(was) !== gitMode(node)) {
      if (was?.kind === "folder" && inGit(was)) yield { type: "remove", path: below };
      yield { type: "set", path: below, mode: gitMode(node), oid: node.oid };
    }
  }
}

function inGit(node: TreeNode | undefined): boolean {
  return node?.oid !== undefined;
}
