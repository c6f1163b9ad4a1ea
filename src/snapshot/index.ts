export { type CaptureContext, createCaptureContext } from "./capture/capture-context.ts";
export { capture } from "./capture/capture.ts";
export { type CarriedPath, copyFolder, findCarried, tryReflink } from "./carry-paths.ts";
export { type ChangeCounts, countChanges } from "./diff-snapshots.ts";
export { parseFilesMeta } from "./files-meta.ts";
export {
  createGitSnapshotStore,
  type OpenedStore,
  openSnapshotStore,
  type StoreInternals,
} from "./git-snapshot-store.ts";
export { compareLeftOut, isSameLeftOut, type UnheldChange } from "./left-out/compare-left-out.ts";
export { selectByGlobs } from "./left-out/selection.ts";
export { parseSize, SIZE_LIMIT_BYTES, sizeLimitSetting } from "./left-out/size-limit.ts";
export { materialise, type WrittenFiles } from "./materialise.ts";
export type { BaseTree } from "./memory/memories.ts";
export { forgetMemory, loadMemory, saveMemory } from "./memory/memory-file.ts";
export type { ChangeHooks } from "./restore/restore.ts";
export { isLinkTarget } from "./restore/apply-listing.ts";
export { topEntries } from "./snapshot-reader.ts";
export type {
  CaptureOptions,
  FileChange,
  LeftOut,
  Restoration,
  RestoreOptions,
  Snapshot,
  SnapshotFile,
  SnapshotId,
  SnapshotStore,
} from "./snapshot-store.ts";
export { dropAges, packStore, readSnapshotTimes, refreshSnapshot, SNAPSHOTS } from "./store/pack-store.ts";
export {
  forgetBranch,
  openRepository,
  place,
  registerBranch,
  type Repository,
  storeOf,
  type StorePlace,
} from "./store/repository.ts";
export { sweepHalfPacks, sweepRemains, sweepTemporary, temporaryPlace } from "./store/sweep-remains.ts";
export {
  directoryIdentity,
  findDamagedWorkspaces,
  hasStore,
  mendWorkspaceFile,
  nameInStore,
  readDescription,
  type WorkspaceFile,
  workspaceKey,
  writeWorkspaceFile,
} from "./store/workspace-file.ts";
export { type Conflict, ConflictError } from "./take-back/conflict-error.ts";
export type { OnConflict } from "./take-back/merge-files.ts";
export type { TakeBackOptions, TakenBack } from "./take-back/take-back.ts";
export { parseGitFile } from "./user-git/git-file.ts";
export { findLeftOutGit, readGitState } from "./user-git/git-state.ts";
export { type LogCommit, readCommits } from "./user-git/read-log.ts";
export { LENT_FOLDER } from "./user-git/lend-repository.ts";
export { parseStagedTree } from "./user-git/staged-blobs.ts";
