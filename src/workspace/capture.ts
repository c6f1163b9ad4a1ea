import { realpath } from "node:fs/promises";
import type { Clock } from "../core/index.ts";
import { toBytePath, toText, type BytePath } from "./byte-path.ts";
import { formatFilesMeta } from "./files-meta.ts";
import { readGitState, type GitPart } from "./git-state.ts";
import { createIgnoreRules } from "./ignore-rules.ts";
import { startImport, type ImportStream, type TreeEdit } from "./import-stream.ts";
import { selectByGlobs, type Selection } from "./include-pattern.ts";
import type { HeldLock } from "./lock-file.ts";
import { blobId, treeId } from "./object-id.ts";
import type { ObjectReader } from "./object-reader.ts";
import { readTree } from "./read-tree.ts";
import type { Repository } from "./repository.ts";
import { scanTree, type FoundFile, type Scan } from "./scan-tree.ts";
import { foldersAbove, selectEither, selectTracked } from "./select-tracked.ts";
import type { CaptureOptions, Snapshot } from "./snapshot-store.ts";
import { storageError } from "./storage-error.ts";
import { sweepRemains } from "./sweep-remains.ts";
import { treeEdits } from "./tree-edits.ts";
import type { FolderNode } from "./tree-node.ts";
import { readTreeRules } from "./tree-rules.ts";

/** What is remembered of a directory between captures. */
export interface Memory {
  /** The tree as it was last read. */
  readonly root: FolderNode;
  /** The snapshot of that tree. */
  readonly id: string;
  /** The rules for the whole tree under which it was read. */
  readonly rulesKey: string;
  /** The user's repository as it was last read. */
  readonly git: GitPart | undefined;
}

/** What a capture works with. */
export interface CaptureContext {
  readonly repository: Repository;
  readonly objects: ObjectReader;
  readonly clock: Clock;
  lock(): Promise<HeldLock>;
}

/** What a capture is asked for. */
export interface CaptureRequest {
  readonly directory: string;
  readonly options: CaptureOptions;
  readonly memory: Memory | undefined;
  /** Paths that must be held, ignored or large as they may be: a restore is about to write over them. */
  readonly required?: ReadonlySet<BytePath>;
  /** Content that the user's own index knows. */
  known?(file: FoundFile): string | undefined;
}

/** The largest file that a snapshot takes unless it is told otherwise. */
const SIZE_LIMIT_BYTES = 50 * 1024 * 1024;

/** Takes a snapshot and gives it with what to remember for the next. */
export async function capture(
  context: CaptureContext,
  asked: CaptureRequest,
): Promise<{ readonly snapshot: Snapshot; readonly memory: Memory }> {
  const request = { ...asked, memory: await trusted(context, asked.memory) };
  const writer = createWriter(context, request);
  try {
    const startedMs = context.clock.now();
    const directory = await realpath(request.directory);
    const git = await readGitState(context.repository, directory, request.memory?.git);
    const { scan, root, rulesKey } = await readDirectory(context, { request, directory, startedMs, writer, git });
    const id = await store(context, { request, root, git, writer });
    const snapshot: Snapshot = {
      id,
      leftOut: scan.leftOut.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
      moved: [...scan.moved].toSorted().map(toText),
      ...(git === undefined ? {} : { git: git.state }),
    };
    return { snapshot, memory: { root, id, rulesKey, git } };
  } catch (cause) {
    request.options.signal?.throwIfAborted();
    throw storageError("The snapshot could not be taken", request.directory, cause);
  } finally {
    await writer.close();
  }
}

/** What is remembered holds only as long as its snapshot does: the content that it names is in the store with it. */
async function trusted({ objects }: CaptureContext, memory: Memory | undefined): Promise<Memory | undefined> {
  return memory && (await objects.info(snapshotRef(memory.id))) ? memory : undefined;
}

interface Reading {
  readonly request: CaptureRequest;
  readonly directory: string;
  readonly startedMs: number;
  readonly writer: Writer;
  readonly git: GitPart | undefined;
}

async function readDirectory(
  context: CaptureContext,
  { request, directory, startedMs, writer, git }: Reading,
): Promise<{ readonly scan: Scan; readonly root: FolderNode; readonly rulesKey: string }> {
  const { options, memory, required = new Set<BytePath>() } = request;
  const { signal } = options;
  const treeRules = await readTreeRules(context.repository, directory, options.include ?? []);
  await using rules = createIgnoreRules({
    gitDirectory: context.repository.gitDirectory,
    root: directory,
    excludesFile: treeRules.excludesFile,
    signal,
  });
  const root = toBytePath(directory);
  const selected = selectEither(selectByGlobs(options.include ?? []), selectTracked(git?.files.get("git-index")));
  const scan = await scanTree({
    root,
    previous: memory?.root,
    rulesChanged: memory?.rulesKey !== treeRules.key,
    rules,
    selection: withRequired(selected, required),
    required,
    sizeLimitBytes: options.sizeLimitBytes ?? SIZE_LIMIT_BYTES,
    startedMs,
    signal,
  });
  const { known } = request;
  const reader = { root, signal, keep: writer.keep, now: () => context.clock.now(), ...(known ? { known } : {}) };
  const tree = await readTree(scan, reader);
  return { scan, root: tree, rulesKey: treeRules.key };
}

function withRequired(selection: Selection, required: ReadonlySet<BytePath>): Selection {
  if (required.size === 0) return selection;
  const above = foldersAbove(required);
  return {
    takesFile: (path) => required.has(path) || above.has(path) || selection.takesFile(path),
    takesFolder: (path) => selection.takesFolder(path),
    enters: (folder) => above.has(folder) || selection.enters(folder),
  };
}

/** Writes what is not in the store yet; nothing at all where the same tree was captured before. */
async function store(
  { objects }: CaptureContext,
  {
    request,
    root,
    git,
    writer,
  }: { request: CaptureRequest; root: FolderNode; git: GitPart | undefined; writer: Writer },
): Promise<string> {
  const { memory } = request;
  const isSameGit = memory?.git?.files === git?.files;
  if (memory && memory.root === root && isSameGit) return memory.id;
  const sidecars = new Map([["files.meta", formatFilesMeta(root)], ...(git?.files ?? [])]);
  const entries = [...sidecars].map(([name, content]) => ({ mode: "100644", name, oid: blobId(content) }));
  const id = treeId(root.oid === undefined ? entries : [...entries, { mode: "40000", name: "files", oid: root.oid }]);
  if (await objects.info(snapshotRef(id))) return id;
  for (const content of sidecars.values()) await writer.write(content);
  const edits: readonly TreeEdit[] = [
    ...["git.json", "git-index"].map((path) => ({ type: "remove" as const, path })),
    ...treeEdits(memory?.root, root, "files"),
    ...entries.map(({ mode, name, oid }) => ({ type: "set" as const, path: name, mode, oid })),
  ];
  try {
    await writer.commit({ ref: snapshotRef(id), tree: id, base: memory?.id, edits });
  } catch (error) {
    // A git that a killed process left may have written the same snapshot in the meantime.
    if (!(await objects.info(snapshotRef(id)))) throw error;
  }
  return id;
}

/** The ref that keeps a snapshot from being collected. */
function snapshotRef(id: string): string {
  return `refs/skein/snapshots/${id}`;
}

interface Writer {
  keep(oid: string, content: Buffer): Promise<void>;
  write(content: Buffer): Promise<void>;
  commit: ImportStream["commit"];
  close(): Promise<void>;
}

/** Starts git, under the lock, only when there is something to write. */
function createWriter(context: CaptureContext, { memory, options }: CaptureRequest): Writer {
  let open: { readonly lock: HeldLock; readonly stream: ImportStream } | undefined;
  let done = false;
  const sent = new Set<string>();
  const start = async (): Promise<ImportStream> => {
    open ??= { lock: await context.lock(), stream: startImport(context.repository.gitDirectory, options.signal) };
    return open.stream;
  };
  return {
    async keep(oid, content) {
      if (sent.has(oid) || (memory && (await context.objects.info(oid)))) return;
      sent.add(oid);
      await (await start()).blob(content);
    },
    write: async (content) => await (await start()).blob(content),
    async commit(commit) {
      await (await start()).commit(commit);
      done = true;
    },
    async close() {
      if (open && !done) {
        await open.stream.abort();
        // What a git that failed leaves half written may be what fills the disk.
        await sweepRemains(context.repository, context.clock.now());
      }
      await open?.lock[Symbol.asyncDispose]();
    },
  };
}
