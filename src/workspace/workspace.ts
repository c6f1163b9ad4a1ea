import { realpath } from "node:fs/promises";
import {
  type Clock,
  createId,
  defined,
  enterShown,
  isoTime,
  privateView,
  SkeinError,
  systemClock,
} from "../core/internal.ts";
import type { HeldLock } from "../database/index.ts";
import { makeDirectory } from "../git/index.ts";
import {
  type CaptureOptions,
  type ChangeHooks,
  type FileChange,
  type OpenedStore,
  openRepository,
  openSnapshotStore,
  parseGitFile,
  readCommits,
  refreshSnapshot,
  registerBranch,
  type Repository,
  type Restoration,
  type RestoreOptions,
  sizeLimitSetting,
  type SnapshotFile,
  type SnapshotStore,
  type StoreInternals,
  type TakeBackOptions,
  type TakenBack,
} from "../snapshot/index.ts";
import { beginCopy, type BegunCopy } from "./branches/branch-copy.ts";
import { type BranchMaker, createBranchMaker, type MadeBranch } from "./branches/branch-maker.ts";
import type { BranchKind, BranchOptions } from "./branches/branch-options.ts";
import { type BranchQuota, checkQuota, watchQuota } from "./branches/branch-quota.ts";
import { claimDirectory, isClaimedElsewhere } from "./claim-directory.ts";
import { captureSession, type EnvironmentSnapshot, type EnvironmentSnapshotOptions } from "./environment-snapshot.ts";
import { sweepDead } from "./pruning/sweep-dead.ts";
import { type Destination, headAt, leftOutOf, recoveryOf } from "./restore/destination.ts";
import { beginRestore, endRestore, findHalfRestore, type HalfRestore, halfRestored } from "./restore/half-restore.ts";
import { findUnrecorded, unrecordedError } from "./restore/unrecorded-changes.ts";
import { noState, type StateId } from "./states/state-commit.ts";
import { createStateStore, type StateStore } from "./states/state-store.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  /** Skein's home; `SKEIN_HOME` or the platform's folder for user data by default. */
  readonly home?: string | undefined;
  /** Ignored files that snapshots take all the same, as globs from the root. */
  readonly include?: readonly string[] | undefined;
  /** Larger files are left out of snapshots, and listed; `SKEIN_SIZE_LIMIT` or 50 MB by default. */
  readonly sizeLimitBytes?: number | undefined;
  /** How branches without a directory of their own are made. */
  readonly branches?: BranchOptions | undefined;
  readonly clock?: Clock | undefined;
}

interface WorkspaceRestoreOptions extends RestoreOptions {
  /** The caller holds the directory already. */
  readonly isClaimed?: boolean;
  /** What becomes of files that no recorded turn made: they are replaced, which is the default, or the restore refuses. */
  readonly onUnrecorded?: "replace" | "refuse";
}

/** A directory that an agent works in, with the store of everything that was recorded of it. */
export class Workspace implements AsyncDisposable {
  /** The directory's real path. */
  readonly path: string;
  /** The folder in which everything of the workspace is kept. */
  readonly home: string;
  /** The bare git repository that is the store. */
  readonly gitDirectory: string;
  /** The workspace that this is a branch of; its own path where it is none. */
  readonly origin: string;
  /** How the branch was made that this is; none where it has a directory of its own. */
  readonly branchKind: BranchKind | undefined;
  /** By which path this process reads and writes the files: another only for a branch that its own processes alone see. */
  readonly view: string;
  /** By which path an agent in it knows it: in a branch that was given no directory the workspace's own, where the kernel allows it. */
  readonly agentPath: string;
  readonly snapshots: SnapshotStore;
  readonly states: StateStore;
  readonly clock: Clock;
  readonly #repository: Repository;
  readonly #options: WorkspaceOptions;
  readonly #store: OpenedStore;
  /** What every capture takes. */
  readonly #captured: Pick<CaptureOptions, "include" | "sizeLimitBytes">;
  readonly #made: MadeBranch | undefined;
  readonly #maker: BranchMaker;
  #closing: Promise<void> | undefined;

  private constructor(path: string, options: WorkspaceOptions, opened: OpenedWorkspace) {
    const { repository, snapshots, made, maker } = opened;
    this.path = path;
    this.view = privateView(path) ?? path;
    this.home = repository.home;
    this.gitDirectory = repository.gitDirectory;
    this.origin = repository.workspace;
    this.clock = options.clock ?? systemClock;
    this.snapshots = snapshots;
    this.#store = snapshots;
    this.states = createStateStore(repository, this.clock, snapshots.objects);
    this.#repository = repository;
    this.#options = options;
    this.branchKind = made?.kind;
    this.agentPath = made?.agentPath ?? path;
    this.#made = made;
    const { include, sizeLimitBytes, branches = {} } = options;
    this.#captured = defined({ include, sizeLimitBytes });
    const making = { repository, snapshots, clock: this.clock, captured: this.#captured, options: branches };
    this.#maker = maker ?? createBranchMaker(making);
  }

  /** Opens a directory, and makes it where there is none. A branch opens the store of the workspace that it came from. */
  static async open(path: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    const opened = await Workspace.#open(path, options);
    if (opened.path === opened.origin) await sweepDead(opened.#repository, opened.clock);
    return opened;
  }

  static async #open(path: string, options: WorkspaceOptions, branched: NewBranch = {}): Promise<Workspace> {
    const { home, clock, sizeLimitBytes = sizeLimitSetting() } = options;
    await makeDirectory(path);
    const repository = await openRepository(path, { home, ...defined({ clock }) });
    const real = await realpath(path);
    const branch = repository.branch === undefined ? undefined : (privateView(real) ?? real);
    const store = { workspace: repository.workspace, ...defined({ home, clock }) };
    const snapshots = await openSnapshotStore(store, { ...branched.internals, branch });
    return new Workspace(real, { ...options, sizeLimitBytes }, { repository, snapshots, ...branched });
  }

  /** Takes a picture of the files as they are now, and of the session that is named. */
  async snapshot(options: EnvironmentSnapshotOptions = {}): Promise<EnvironmentSnapshot> {
    const { sessionId, claudeHome, signal } = options;
    const capturedAt = isoTime(this.clock.now());
    const quota = this.#quota();
    if (quota) await checkQuota(quota);
    const taken = await this.snapshots.capture(this.path, { ...this.#captured, ...defined({ signal }) });
    await refreshSnapshot(this, taken.id);
    const session = sessionId ? await captureSession(sessionId, claudeHome) : undefined;
    const { snapshots } = this;
    const files = (): ReturnType<EnvironmentSnapshot["files"]> => snapshots.files(taken.id);
    return { ...taken, capturedAt, snapshots, files, ...defined({ sessionId: session?.sessionId, session }) };
  }

  /**
   * Makes the directory equal to a state, and proves it; that state is then its head. Refuses while a turn
   * runs in it, unless the caller has claimed the directory and says so. What was there before is `undo`, a snapshot that
   * can be restored in its turn. With `onUnrecorded`, what no recorded turn made is not deleted or written over unasked.
   */
  async restore(
    state: string,
    { isClaimed = false, onUnrecorded = "replace", ...options }: WorkspaceRestoreOptions = {},
  ): Promise<Restoration> {
    const { id, snapshotId } = await this.#find(state);
    // A dry run writes nothing, and does not stand in anybody's way.
    await using _ = isClaimed || options.dryRun ? undefined : await this.claim({ isHalfRestored: true });
    if (onUnrecorded === "refuse") {
      const lost = await this.unrecorded(state, defined({ signal: options.signal }));
      if (lost.length > 0) throw unrecordedError(lost);
    }
    const spare = id === undefined ? [] : await leftOutOf(this.states, id);
    return await this.#restoreTo({ snapshotId, stateId: id }, { spare, ...options });
  }

  /** Until the head is moved, the restore has not ended: whoever is killed before has cut it off. */
  async #restoreTo({ snapshotId, stateId, head }: Destination, options: RestoreOptions): Promise<Restoration> {
    const how = { ...this.#captured, ...options, beforeChange: await this.#beginChange(stateId) };
    const done = await this.#store.restore(snapshotId, this.path, how);
    await refreshSnapshot(this, done.undo);
    if (options.dryRun) return done;
    const headAfter = head ?? (stateId === undefined ? undefined : await headAt(this.states, stateId));
    if (headAfter) await this.states.setHead(headAfter);
    await endRestore(this.#repository, this.path);
    return done;
  }

  /** What puts down, before the first file is changed, that a change began; `stateId` is what the head will then be. */
  async #beginChange(stateId: StateId | undefined): Promise<ChangeHooks["beforeChange"]> {
    const head = await this.states.head();
    const place = { directory: this.path, startedAt: isoTime(this.clock.now()), head, stateId };
    return async (change) => await beginRestore(this.#repository, { ...place, ...change });
  }

  /** A restore that was cut off, so that the files may be a mix of two states; work in the directory is refused until it is recovered. */
  async halfRestore(): Promise<HalfRestore | undefined> {
    const half = await findHalfRestore(this.#repository, this.path);
    return half && (await this.isClaimedElsewhere(this.path)) ? undefined : half;
  }

  /** Ends a restore that was cut off: makes the files what they were to be, or what they were. */
  async recoverRestore(how: "finish" | "take-back"): Promise<Restoration> {
    await using _ = await this.claim({ isHalfRestored: true });
    const half = await findHalfRestore(this.#repository, this.path);
    if (!half) throw new SkeinError("No restore was cut off here", { kind: "usage", target: this.path });
    const spare = half.stateId === undefined ? [] : await leftOutOf(this.states, half.stateId);
    return await this.#restoreTo(recoveryOf(half, how), { spare });
  }

  /** The files that a restore of a state would delete or write over although no recorded turn made them what they are. */
  async unrecorded(state: string, options: { readonly signal?: AbortSignal } = {}): Promise<readonly string[]> {
    const target = await this.#find(state);
    return await findUnrecorded(this, (await this.snapshot(options)).id, target);
  }

  /**
   * Takes back what led from one state to another, and keeps what was done to the files and the repository since; the
   * first is then the directory's head. Without a second state, what is there now is taken for it. Where both changed the
   * same lines it refuses with a `ConflictError`, unless `onConflict` says otherwise.
   */
  async takeBack(
    { before, after }: { readonly before: string; readonly after?: string | undefined },
    { isClaimed = false, ...options }: TakeBackOptions & { readonly isClaimed?: boolean } = {},
  ): Promise<TakenBack> {
    const [from, to] = [await this.#find(before), after === undefined ? undefined : await this.#find(after)];
    await using _ = isClaimed || options.dryRun ? undefined : await this.claim();
    const between = { before: from.snapshotId, after: to?.snapshotId };
    const how = { ...this.#captured, ...options, beforeChange: await this.#beginChange(from.id) };
    const done = await this.#store.takeBack(this.path, between, how);
    await refreshSnapshot(this, done.undo);
    if (!options.dryRun && from.id !== undefined) await this.states.setHead(await headAt(this.states, from.id));
    if (!options.dryRun) await endRestore(this.#repository, this.path);
    return done;
  }

  /**
   * Makes a live copy of a state with the same store: a plain one in a directory that is given. Without one it is made below
   * Skein's home, of the best kind that works here, and removed when the branch is closed.
   */
  async branch(state: string, directory?: string): Promise<Workspace> {
    const { id, snapshotId } = await this.#find(state);
    if (id === undefined) throw noState(state);
    const branch = createId(this.clock);
    const parts =
      directory === undefined ? await this.#make(snapshotId, branch) : await this.#copy(snapshotId, directory, branch);
    try {
      const { origin, clock } = this;
      await registerBranch(parts.path, { origin, branch, home: this.#options.home, clock });
      const made = await Workspace.#open(parts.path, this.#options, parts);
      await made.states.setHead({ stateId: id });
      await parts.copy?.putInPlace();
      return made;
    } catch (error) {
      await parts.made?.remove();
      await parts.copy?.remove();
      throw error;
    }
  }

  async #make(snapshotId: string, branch: string): Promise<NewBranch & { readonly path: string }> {
    const made = await this.#maker.make(snapshotId, branch);
    return { path: made.path, made, internals: made.internals, maker: this.#maker };
  }

  async #copy(snapshotId: string, into: string, branch: string): Promise<NewBranch & { readonly path: string }> {
    const copy = await beginCopy(this.#repository, into, branch);
    const { directory, half } = copy;
    try {
      // What is below Skein's home may be gone before the copy is, and its commits are kept in the workspace.
      await this.#store.materialise(snapshotId, half, { origin: this.#made ? this.origin : this.path });
    } catch (error) {
      await copy.remove();
      throw error;
    }
    const seed = this.#store.writtenSeed(half);
    return { path: directory, copy, internals: seed ? { written: { directory, seed } } : {} };
  }

  /** What differs between two states, or between a state and the files as they are now. */
  async diff(from: string, to?: string): Promise<readonly FileChange[]> {
    return await this.snapshots.diff(...(await this.#pair(from, to)));
  }

  /** The same as a unified patch, of all files or of one. */
  async patch(from: string, to?: string, path?: string | Uint8Array): Promise<string> {
    return await this.snapshots.patch(...(await this.#pair(from, to)), path);
  }

  /** The files and links of a state, ordered by path, each as it is asked for; without a state, of the directory as it is now. */
  async *files(state?: string): AsyncGenerator<SnapshotFile, void, void> {
    if (state === undefined) yield* (await this.snapshot()).files();
    else yield* this.snapshots.files((await this.#find(state)).snapshotId);
  }

  /** One file as a state has it. */
  async read(state: string, path: string | Uint8Array): Promise<Buffer> {
    return await this.snapshots.read((await this.#find(state)).snapshotId, path);
  }

  /** The commits of the user's repository that led to where it was at a state, the newest first; none where it has lost them. */
  async log(state: string, { limit = 50, offset = 0 }: { readonly limit?: number; readonly offset?: number } = {}) {
    const { gitDirectory, path: directory, states } = this;
    const found = await states.read(await states.resolve(state));
    const text = await states.file(found, "git.json");
    const head = text === undefined ? undefined : parseGitFile(Buffer.from(text)).head;
    return head === undefined ? [] : await readCommits({ gitDirectory, directory, head, limit, offset });
  }

  /** The command by which another runs where an agent would, to be started in the `view`: not every branch is seen from outside. */
  enter(argv: readonly string[]): readonly string[] {
    const [command = "", ...args] = argv;
    const entered = enterShown({ command, args, cwd: this.path, env: {} });
    return [entered.command, ...entered.args];
  }

  /** Tells once when the branch has written more than it may, while something works in it; a workspace may write anything. */
  watchQuota(onExceeded: (error: unknown) => void): Disposable {
    const quota = this.#quota();
    return quota ? watchQuota(quota, this.clock, onExceeded) : { [Symbol.dispose]: () => undefined };
  }

  /** Takes the directory for one writer; the second is told so, at once unless it waits. A restore that was cut off is to be recovered first. */
  async claim({ isHalfRestored = false, ...options }: ClaimOptions = {}): Promise<HeldLock> {
    const lock = await claimDirectory(this.#repository, this.path, { clock: this.clock, ...options });
    const half = isHalfRestored ? undefined : await findHalfRestore(this.#repository, this.path);
    if (!half) return lock;
    await lock[Symbol.asyncDispose]();
    throw halfRestored(half);
  }

  /** Whether another process, in whatever container, has a directory of this store for a turn or a restore. */
  async isClaimedElsewhere(directory: string): Promise<boolean> {
    return await isClaimedElsewhere(this.#repository, directory);
  }

  /** Ends the processes behind the store. A branch that was given no directory is removed; its states stay. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    // It may be reading a base yet, by the store's reader.
    if (!this.#made) await this.#maker.close();
    await this.snapshots.close();
    await this.states.close();
    await this.#made?.remove();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #quota(): BranchQuota | undefined {
    const quotaBytes = this.#options.branches?.quotaBytes;
    if (!this.#made || quotaBytes === undefined) return undefined;
    return { path: this.path, quotaBytes, written: this.#made.written };
  }

  /** A state by any of its names, or a snapshot by its id. A whole id is looked up at once: what else it may mean takes long to find out. */
  async #find(name: string): Promise<{ readonly id?: StateId; readonly snapshotId: string }> {
    const type = /^[0-9a-f]{40}$/u.test(name) ? await this.states.type(name) : undefined;
    if (type === "tree") return { snapshotId: name };
    const state = type === "commit" ? await this.states.read(name) : undefined;
    return state?.entries.has("state.json") ? state : await this.states.read(await this.states.resolve(name));
  }

  async #pair(from: string, to: string | undefined): Promise<[string, string]> {
    const first = (await this.#find(from)).snapshotId;
    return [first, to === undefined ? (await this.snapshot()).id : (await this.#find(to)).snapshotId];
  }
}

interface ClaimOptions {
  /** Also where a restore was cut off in it, and has not been recovered yet. */
  readonly isHalfRestored?: boolean;
  readonly waitMs?: number;
}

interface NewBranch {
  readonly made?: MadeBranch;
  /** A copy that is whole, and has to be put in its place. */
  readonly copy?: BegunCopy;
  readonly maker?: BranchMaker;
  readonly internals?: StoreInternals;
}

interface OpenedWorkspace extends NewBranch {
  readonly repository: Repository;
  readonly snapshots: OpenedStore;
}
