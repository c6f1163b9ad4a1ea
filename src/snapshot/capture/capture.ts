import { defined } from "../../core/internal.ts";
import { type BytePath, realDirectory, storageError, toBytePath, toText } from "../../git/index.ts";
import { createIgnoreRules, readTreeRules } from "../left-out/ignore-rules.ts";
import { listIgnored, listWithheld } from "../left-out/list-left-out.ts";
import { selectByGlobs, selectEither, selectHeld, selectTracked } from "../left-out/selection.ts";
import { SIZE_LIMIT_BYTES } from "../left-out/size-limit.ts";
import type { Seed } from "../memory/seed-from-index.ts";
import { runStatPass } from "../memory/shadow.ts";
import { nodeAt, type PlainFolder } from "../plain-tree.ts";
import type { CaptureOptions, Snapshot } from "../snapshot-store.ts";
import { SNAPSHOTS } from "../store/pack-store.ts";
import { readGitState } from "../user-git/git-state.ts";
import type { CaptureContext, Memory } from "./capture-context.ts";
import { readScanned } from "./read-scanned.ts";
import { lookAtFolders } from "./scan-place.ts";
import { scanTree } from "./scan-tree.ts";
import { createSnapshotWriter, type SnapshotWriter } from "./snapshot-writer.ts";
import type { FileNode } from "./tree-node.ts";
import type { UpperLayer } from "./upper-layer.ts";

export interface CaptureRequest {
  readonly directory: string;
  readonly options: CaptureOptions;
  readonly memory: Memory | undefined;
  /** A tree whose paths must be held, ignored or large as they may be: a restore is about to write over them. It may be read meanwhile. */
  readonly required?: Promise<PlainFolder>;
  /** Content that is known without reading, as the user's own index may know it; it is looked for while the files are looked at. */
  readonly known?: Promise<Seed | undefined>;
  /** Files that were just written into the directory, to which nobody else has come: they are not looked at. */
  readonly written?: ReadonlyMap<BytePath, FileNode> | undefined;
  /** All that can have changed since the memory, where the directory is an overlay. */
  readonly layer?: UpperLayer | undefined;
  /** Nobody else writes to the directory, and a change from now on would show in its times: nothing in it is too young. */
  readonly isSettled?: boolean;
}

/** Takes a snapshot and gives it with what to remember for the next. */
export async function capture(context: CaptureContext, request: CaptureRequest) {
  const { signal } = request.options;
  // Heard when files are read; until then a failure of something else may come first.
  for (const coming of [request.known, request.required]) coming?.catch(() => undefined);
  let writer: SnapshotWriter | undefined;
  try {
    const looks = await lookAround(context, request);
    const { memory, git, rules } = looks;
    writer = createSnapshotWriter(context, { memory, signal });
    const { scan, root, copied } = await readDirectory(context, request, { ...looks, keep: writer.keep });
    const isSame = memory?.root === root && memory.git?.files === git?.files;
    const { files: gitFiles = new Map<string, Buffer>(), stagedTree, state } = git ?? {};
    const written = { root, gitFiles, indexId: state?.indexId, stagedTree, ...defined({ copied }) };
    const id = isSame ? memory.id : await writer.commit(written);
    const path = toBytePath(looks.directory);
    const leftOut = [...scan.leftOut, ...listWithheld(path, root)];
    const snapshot: Snapshot = {
      id,
      leftOut: leftOut.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
      ...(request.options.listsIgnored ? { ignored: listIgnored(path, root) } : {}),
      moved: [...scan.moved].toSorted().map(toText),
      ...defined({ git: state }),
    };
    const now: Memory = { root, id, rulesKey: rules.key, git, shadow: memory?.shadow, looked: scan.looked };
    return { snapshot, memory: now };
  } catch (cause) {
    signal?.throwIfAborted();
    throw storageError("The snapshot could not be taken", request.directory, cause);
  } finally {
    // It writes into the store.
    await request.known?.catch(() => undefined);
    await writer?.close();
  }
}

/** Has git look at the files while everything else is looked at here. */
async function lookAround({ repository, objects, clock }: CaptureContext, request: CaptureRequest) {
  const { options, memory: remembered } = request;
  const now = (): number => (request.isSettled ? Number.POSITIVE_INFINITY : clock.now());
  const startedMs = now();
  const { signal } = options;
  const directory = await realDirectory(request.directory);
  const shadow = remembered?.shadow;
  const passing = shadow ? runStatPass(repository, directory, { shadow, signal }) : undefined;
  // Heard below; until then a failure of something else may come first.
  passing?.catch(() => undefined);
  const trusting = remembered && objects.info(`${SNAPSHOTS}${remembered.id}`);
  const reading = readGitState(repository, directory, remembered?.git);
  const folders = lookAtFolders(toBytePath(directory), shadow && remembered.root);
  const [rules, git, held, pass] = await Promise.all([
    readTreeRules(repository, directory, options.include ?? []),
    reading,
    trusting,
    passing,
  ]);
  // What is remembered holds only as long as its snapshot does: the content that it names is in the store with it.
  const memory = held ? remembered : undefined;
  return { directory, memory, git, rules, pass: memory && pass, looks: folders, startedMs, now };
}

async function readDirectory(
  context: CaptureContext,
  request: CaptureRequest,
  looked: Awaited<ReturnType<typeof lookAround>> & Pick<SnapshotWriter, "keep">,
) {
  const { directory, memory, git, rules, pass, looks, startedMs, now, keep } = looked;
  const { options, layer, written } = request;
  const required = await request.required;
  const { signal, include = [] } = options;
  const { gitDirectory } = context.repository;
  await using asker = createIgnoreRules({ gitDirectory, root: directory, excludesFile: rules.excludesFile, signal });
  const root = toBytePath(directory);
  const scan = await scanTree({
    root,
    previous: memory?.root,
    pass,
    looks,
    layer: memory && layer,
    written,
    rulesChanged: memory?.rulesKey !== rules.key,
    rules: asker,
    reserved: rules.reserved,
    selection: selectEither([selectByGlobs(include), selectTracked(git?.files.get("git-index")), selectHeld(required)]),
    isRequired: (path) => !["folder", undefined].includes(nodeAt(required, path)?.kind),
    sizeLimitBytes: options.sizeLimitBytes ?? SIZE_LIMIT_BYTES,
    startedMs,
    signal,
  });
  const known = await request.known;
  await known?.goBy?.(scan.attributes);
  const reader = { root, signal, keep, now, ...defined({ known: known?.contentOf }) };
  return { scan, root: await readScanned(scan, reader), copied: known?.copied };
}
