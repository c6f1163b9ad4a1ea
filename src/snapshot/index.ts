export type { BaseTree } from "./memory/layered-memories.ts";
export type { BranchKind, BranchOptions } from "./carried/branch-options.ts";
export { type CaptureContext, createCaptureContext } from "./scan/capture-context.ts";
export type {
  CaptureOptions,
  FileChange,
  FileState,
  GitState,
  LeftOut,
  Materialisation,
  MaterialiseOptions,
  Restoration,
  RestoreOptions,
  Snapshot,
  SnapshotFile,
  SnapshotId,
  SnapshotStore,
} from "./snapshot-store.ts";
export { type CapturedSession, captureSession } from "./captured-session.ts";
export type { CarriedPath } from "./carried/carried-path.ts";
export { type ChangeCounts, countChanges } from "./count-changes.ts";
export type { ChangeHooks } from "./restore/restore.ts";
export { type Conflict, ConflictError } from "./take-back/conflict-error.ts";
export {
  type DamagedWorkspace,
  type WorkspaceFile,
  findDamagedWorkspaces,
  hasStore,
  mendWorkspaceFile,
  nameInStore,
  readDescription,
  workspaceKey,
  writeWorkspaceFile,
} from "./store/workspace-file.ts";
export type { EnvironmentSnapshot, EnvironmentSnapshotOptions } from "./environment-snapshot.ts";
export {
  type GitSnapshotStoreOptions,
  type OpenedStore,
  type StoreInternals,
  createGitSnapshotStore,
  openSnapshotStore,
} from "./git-snapshot-store.ts";
export { LENT_FOLDER } from "./user-git/lend-repository.ts";
export { type LeftOutGit, findLeftOutGit } from "./left-out/left-out-git.ts";
export type { OnConflict } from "./take-back/merge-files.ts";
export { type Repository, forgetBranch, openRepository, place, registerBranch, storeOf } from "./store/repository.ts";
export { SIZE_LIMIT_BYTES, capture } from "./scan/capture.ts";
export { SNAPSHOTS, dropAges, readSnapshotTimes } from "./store/pack-refs.ts";
export type { Seed } from "./memory/seed-from-index.ts";
export type { TakeBackOptions, TakenBack } from "./take-back/take-back.ts";
export { type UnheldChange, compareLeftOut, isSameLeftOut } from "./left-out/compare-left-out.ts";
export { copyFolder, tryReflink } from "./carried/copy-folder.ts";
export { directoryIdentity } from "./store/directory-marks.ts";
export { emptyDirectory } from "./restore/empty-directory.ts";
export { findCarried } from "./carried/find-carried.ts";
export { forgetMemory, loadMemory, saveMemory } from "./memory/memory-file.ts";
export { isLinkTarget } from "./restore/write-stored-file.ts";
export { materialise } from "./materialise.ts";
export { packStore } from "./store/pack-store.ts";
export { parseFilesMeta } from "./files-meta.ts";
export { parseGitFile } from "./user-git/git-file.ts";
export { parseSize, sizeLimitSetting } from "./left-out/size-limit.ts";
export { parseStagedTree } from "./user-git/give-blobs.ts";
export { readGitState } from "./user-git/git-state.ts";
export { removeTree } from "./restore/remove-tree.ts";
export { selectByGlobs } from "./left-out/include-pattern.ts";
export { sweepHalfPacks, sweepRemains } from "./store/sweep-remains.ts";
export { sweepTemporary, temporaryPlace } from "./store/temporary-place.ts";
export { topEntries } from "./list-snapshot.ts";
