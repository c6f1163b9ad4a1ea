import type { Stats } from "node:fs";
import { toBytePath, toText, blobId, treeId, type TreeEntry, realDirectory, storageError } from "../../git/index.ts";
import type { CaptureContext, Memory } from "./capture-context.ts";
import { formatFilesMeta } from "../files-meta.ts";
import { readGitState, type GitPart } from "../user-git/git-state.ts";
import { createIgnoreRules } from "../left-out/ignore-rules.ts";
import { selectByGlobs, type Selection } from "../left-out/include-pattern.ts";
import { listIgnored } from "../left-out/list-ignored.ts";
import { listWithheld } from "../left-out/list-withheld.ts";
import { lookAtFolders } from "./look-at-folders.ts";
import { nodeAt, type PlainFile, type PlainFolder } from "../plain-tree.ts";
import { readTree } from "./read-tree.ts";
import { scanTree, type FoundFile, type Scan } from "./scan-tree.ts";
import { selectEither, selectTracked } from "./select-tracked.ts";
import type { CaptureOptions, Snapshot } from "../snapshot-store.ts";
import { createSnapshotWriter, type SnapshotWriter } from "../snapshot-writer.ts";
import { runStatPass, type StatPass } from "./stat-pass.ts";
import type { FolderNode } from "./tree-node.ts";
import { readTreeRules, type TreeRules } from "../left-out/tree-rules.ts";
import type { UpperLayer } from "./upper-layer.ts";

/** What a capture is asked for. */
export interface CaptureRequest {
  readonly directory: string;
  readonly options: CaptureOptions;
  readonly memory: Memory | undefined;
  /** A tree whose paths must be held, ignored or large as they may be: a restore is about to write over them. */
  readonly required?: PlainFolder;
  /** Content that is known without reading, as the user's own index may know it. */
  known?(file: FoundFile): string | undefined;
  /** All that can have changed since the memory, where the directory is an overlay. */
  readonly layer?: UpperLayer | undefined;
  /** Nobody else writes to the directory, and a change from now on would show in its times: nothing in it is too young. */
  readonly isSettled?: boolean;
}

/** The largest file that a snapshot takes unless it is told otherwise. */
export const SIZE_LIMIT_BYTES = 50 * 1024 * 1024;

/** Takes a snapshot and gives it with what to remember for the next. */
export async function capture(
  context: CaptureContext,
  request: CaptureRequest,
): Promise<{ readonly snapshot: Snapshot; readonly memory: Memory }> {
  const { signal } = request.options;
  let writer: SnapshotWriter | undefined;
  try {
    const startedMs = request.isSettled ? Number.POSITIVE_INFINITY : context.clock.now();
    const looks = await lookAround(context, request);
    const { memory, git, rules } = looks;
    writer = createSnapshotWriter(context, { memory, signal });
    const { scan, root } = await readDirectory(context, { request, startedMs, writer, ...looks });
    const id = await store(context, { memory, root, git, writer });
    const snapshot: Snapshot = {
      id,
      leftOut: [...scan.leftOut, ...listWithheld(toBytePath(looks.directory), root)].toSorted((left, right) =>
        left.path < right.path ? -1 : 1,
      ),
      ...(request.options.listsIgnored ? { ignored: listIgnored(toBytePath(looks.directory), root) } : {}),
      moved: [...scan.moved].toSorted().map(toText),
      ...(git === undefined ? {} : { git: git.state }),
    };
    const { looked } = scan;
    return { snapshot, memory: { root, id, rulesKey: rules.key, git, shadow: memory?.shadow, looked } };
  } catch (cause) {
    signal?.throwIfAborted();
    throw storageError("The snapshot could not be taken", request.directory, cause);
  } finally {
    await writer?.close();
  }
}

interface Looks {
  readonly directory: string;
  /** What was remembered, if it still holds. */
  readonly memory: Memory | undefined;
  readonly git: GitPart | undefined;
  readonly rules: TreeRules;
  readonly pass: StatPass | undefined;
  readonly folders: ReadonlyMap<FolderNode, Stats>;
}

/** Has git look at the files while everything else is looked at here. */
async function lookAround({ repository, objects }: CaptureContext, request: CaptureRequest): Promise<Looks> {
  const { options, memory: remembered } = request;
  const { signal } = options;
  const directory = await realDirectory(request.directory);
  const shadow = remembered?.shadow;
  const passing = shadow ? runStatPass(repository, directory, { shadow, signal }) : undefined;
  // Heard below; until then a failure of something else may come first.
  passing?.catch(() => undefined);
  const trusting = remembered && objects.info(snapshotRef(remembered.id));
  const reading = readGitState(repository, directory, remembered?.git);
  const folders = remembered && shadow ? lookAtFolders(toBytePath(directory), remembered.root) : new Map();
  const [rules, git, held, pass] = await Promise.all([
    readTreeRules(repository, directory, options.include ?? []),
    reading,
    trusting,
    passing,
  ]);
  // What is remembered holds only as long as its snapshot does: the content that it names is in the store with it.
  const memory = held ? remembered : undefined;
  return { directory, memory, git, rules, pass: memory && pass, folders };
}

interface Reading extends Looks {
  readonly request: CaptureRequest;
  readonly startedMs: number;
  readonly writer: SnapshotWriter;
}

async function readDirectory(
  context: CaptureContext,
  { request, startedMs, writer, directory, memory, git, rules, pass, folders }: Reading,
): Promise<{ readonly scan: Scan; readonly root: FolderNode }> {
  const { options, known, required, layer } = request;
  const { signal, include = [] } = options;
  const { gitDirectory } = context.repository;
  await using asker = createIgnoreRules({ gitDirectory, root: directory, excludesFile: rules.excludesFile, signal });
  const root = toBytePath(directory);
  const selected = selectEither(selectByGlobs(include), selectTracked(git?.files.get("git-index")));
  const scan = await scanTree({
    root,
    previous: memory?.root,
    pass,
    looks: folders,
    layer: memory && layer,
    rulesChanged: memory?.rulesKey !== rules.key,
    rules: asker,
    reserved: rules.reserved,
    selection: required ? selectEither(selected, selectHeld(required)) : selected,
    isRequired: (path) => isFile(required && nodeAt(required, path)),
    sizeLimitBytes: options.sizeLimitBytes ?? SIZE_LIMIT_BYTES,
    startedMs,
    signal,
  });
  const now = (): number => (request.isSettled ? startedMs : context.clock.now());
  const reader = { root, signal, keep: writer.keep, now, ...(known ? { known } : {}) };
  return { scan, root: await readTree(scan, reader) };
}

/** Selects what a tree holds. What stands in the place of one of its folders is to be held too. */
function selectHeld(tree: PlainFolder): Selection {
  return {
    takesFile: (path) => nodeAt(tree, path) !== undefined,
    takesFolder: () => false,
    enters: (folder) => nodeAt(tree, folder)?.kind === "folder",
  };
}

function isFile(node: PlainFile | PlainFolder | undefined): boolean {
  return node !== undefined && node.kind !== "folder";
}

interface Storing {
  readonly memory: Memory | undefined;
  readonly root: FolderNode;
  readonly git: GitPart | undefined;
  readonly writer: SnapshotWriter;
}

/** Writes what is not in the store yet; nothing at all where the same tree was captured before. */
async function store({ objects }: CaptureContext, { memory, root, git, writer }: Storing): Promise<string> {
  const isSameGit = memory?.git?.files === git?.files;
  if (memory && memory.root === root && isSameGit) return memory.id;
  const sidecars = new Map([["files.meta", formatFilesMeta(root)], ...(git?.files ?? [])]);
  // The index of many files is large, and its id is known.
  const idOf = (name: string): string | undefined => (name === "git-index" ? git?.state.indexId : undefined);
  const beside = Array.from(sidecars, ([name, content]) => ({
    mode: "100644",
    name,
    oid: idOf(name) ?? blobId(content),
  }));
  const files: readonly TreeEntry[] = root.oid === undefined ? [] : [{ mode: "40000", name: "files", oid: root.oid }];
  const staged = git?.stagedTree === undefined ? [] : [{ mode: "40000", name: "git-objects", oid: git.stagedTree }];
  const entries = [...beside, ...files, ...staged];
  const id = treeId(entries);
  const ref = snapshotRef(id);
  if (await objects.info(ref)) return id;
  try {
    await writer.commit({ ref, id, entries, root, sidecars });
  } catch (error) {
    // A git that a killed process left may have written the same snapshot in the meantime.
    if (!(await objects.info(ref))) throw error;
  }
  return id;
}

/** The ref that keeps a snapshot from being collected. */
function snapshotRef(id: string): string {
  return `refs/skein/snapshots/${id}`;
}
