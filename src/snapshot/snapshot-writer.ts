import type { CaptureContext } from "./scan/capture-context.ts";
import {
  startImport,
  type ImportStream,
  type TreeEdit,
  blobId,
  objectId,
  treeContent,
  type TreeEntry,
  updateRef,
  writePack,
  type NewObject,
} from "../git/index.ts";
import type { HeldLock } from "../database/index.ts";
import { newTrees } from "./new-trees.ts";
import { sweepRemains } from "./store/sweep-remains.ts";
import { treeEdits } from "./tree-edits.ts";
import type { FolderNode } from "./scan/tree-node.ts";

/** Takes the new content of a snapshot and, at its end, makes it a snapshot: all of it, or nothing. */
export interface SnapshotWriter {
  /** Takes the content of a file. */
  keep(oid: string, content: Buffer): Promise<void>;
  /** Writes what the store does not hold, and the ref last. */
  commit(snapshot: NewSnapshot): Promise<void>;
  /** Lets go of the store; what was kept without a commit is dropped. */
  close(): Promise<void>;
}

/** A snapshot that is to be written. */
interface NewSnapshot {
  readonly ref: string;
  readonly id: string;
  /** The lines of the snapshot's own tree. */
  readonly entries: readonly TreeEntry[];
  readonly root: FolderNode;
  /** The files beside the tree, by name. */
  readonly sidecars: ReadonlyMap<string, Buffer>;
}

/** What the store is known to hold already. */
interface WriterBase {
  readonly memory: { readonly id: string; readonly root: FolderNode } | undefined;
  readonly signal: AbortSignal | undefined;
}

/** As much is held back and written as one pack; more goes to git as it comes. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_OBJECTS = 1000;

/** Makes the writer of one snapshot. */
export function createSnapshotWriter(context: CaptureContext, { memory, signal }: WriterBase): SnapshotWriter {
  const { gitDirectory } = context.repository;
  const blobs = new Map<string, NewObject>();
  let bytes = 0;
  let lock: HeldLock | undefined;
  let stream: ImportStream | undefined;
  let done = false;
  const isNew = async ({ oid }: NewObject): Promise<boolean> => (await context.objects.info(oid)) === undefined;
  /** Asked together: each answer by itself is a way to git and back. */
  const onlyNew = async (objects: readonly NewObject[]): Promise<readonly NewObject[]> => {
    const answers = await Promise.all(objects.map(isNew));
    return objects.filter((_, index) => answers[index]);
  };
  const startStream = async (): Promise<ImportStream> => {
    lock ??= await context.lock();
    stream ??= startImport(gitDirectory, signal);
    const held = [...blobs.values()];
    bytes = 0;
    blobs.clear();
    for (const { content } of memory ? await onlyNew(held) : held) await stream.blob(content);
    return stream;
  };
  const commitSmall = async (snapshot: NewSnapshot, trees: readonly NewObject[]): Promise<void> => {
    const top = treeContent(snapshot.entries);
    const commit = Buffer.from(formatCommit(snapshot.id));
    const commitId = objectId("commit", commit);
    const others: readonly NewObject[] = [
      ...Array.from(snapshot.sidecars, ([name, content]) => blob(content, snapshot.entries, name)),
      ...trees,
      { oid: snapshot.id, type: "tree", content: top },
      { oid: commitId, type: "commit", content: commit },
    ];
    // From here on nobody else removes what is there already.
    lock ??= await context.lock();
    const added = await onlyNew([...new Map([...blobs.values(), ...others].map((each) => [each.oid, each])).values()]);
    signal?.throwIfAborted();
    if (added.length > 0) await writePack(gitDirectory, added);
    await updateRef(gitDirectory, snapshot.ref, { to: commitId, clock: context.clock });
  };
  return {
    async keep(oid, content) {
      if (blobs.has(oid)) return;
      blobs.set(oid, { oid, type: "blob", content });
      bytes += content.length;
      if (bytes > MOST_BYTES || blobs.size > MOST_OBJECTS) await startStream();
    },
    async commit(snapshot) {
      const trees = stream ? undefined : newTrees(memory?.root, snapshot.root, MOST_OBJECTS);
      if (trees) await commitSmall(snapshot, trees);
      else await commitStream(await startStream(), snapshot, memory);
      done = true;
    },
    async close() {
      if (stream && !done) await stream.abort();
      // What a writer that failed leaves half written may be what fills the disk.
      if (lock && !done) await sweepRemains(context.repository, context.clock.now());
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

async function commitStream(
  stream: ImportStream,
  { ref, id, entries, root, sidecars }: NewSnapshot,
  memory: WriterBase["memory"],
): Promise<void> {
  for (const content of sidecars.values()) await stream.blob(content);
  const beside = entries.filter(({ name }) => name !== "files");
  const edits: readonly TreeEdit[] = [
    ...["git.json", "git-index", "git-objects"].map((path) => ({ type: "remove" as const, path })),
    ...treeEdits(memory?.root, root, "files"),
    ...beside.map(({ mode, name, oid }) => ({ type: "set" as const, path: name, mode, oid })),
  ];
  await stream.commit({ ref, tree: id, base: memory?.id, edits });
}

function blob(content: Buffer, entries: readonly TreeEntry[], wanted: string): NewObject {
  const oid = entries.find(({ name }) => name === wanted)?.oid ?? blobId(content);
  return { oid, type: "blob", content };
}

/** The author and time are fixed: a snapshot is its tree, and the same one is the same commit. */
function formatCommit(tree: string): string {
  const who = "Skein <skein@localhost> 0 +0000";
  return `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n`;
}
