export type { BaseTree } from "./memory/memories.ts";
export { type CaptureContext, createCaptureContext } from "./capture/capture-context.ts";
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
export { type CarriedPath, findCarried } from "./find-carried.ts";
export { type ChangeCounts, countChanges } from "./diff-snapshots.ts";
export type { ChangeHooks } from "./restore/restore.ts";
export { type Conflict, ConflictError } from "./take-back/conflict-error.ts";
export {
  type WorkspaceFile,
  findDamagedWorkspaces,
  hasStore,
  mendWorkspaceFile,
  nameInStore,
  readDescription,
  workspaceKey,
  writeWorkspaceFile,
  directoryIdentity,
} from "./store/workspace-file.ts";
export {
  type OpenedStore,
  type StoreInternals,
  createGitSnapshotStore,
  openSnapshotStore,
} from "./git-snapshot-store.ts";
export { LENT_FOLDER } from "./user-git/lend-repository.ts";
export { findLeftOutGit, readGitState } from "./user-git/git-state.ts";
export type { OnConflict } from "./take-back/merge-files.ts";
export { type Repository, forgetBranch, openRepository, place, registerBranch, storeOf } from "./store/repository.ts";
export { capture } from "./capture/capture.ts";
export { SNAPSHOTS, dropAges, readSnapshotTimes, packStore, refreshSnapshot } from "./store/pack-store.ts";
export type { Seed } from "./memory/seed-from-index.ts";
export type { TakeBackOptions, TakenBack } from "./take-back/take-back.ts";
export { type UnheldChange, compareLeftOut, isSameLeftOut } from "./left-out/compare-left-out.ts";
export { copyFolder, tryReflink } from "./carry-paths.ts";
export { forgetMemory, loadMemory, saveMemory } from "./memory/memory-file.ts";
export { isLinkTarget } from "./restore/write-stored-file.ts";
export { materialise } from "./materialise.ts";
export { parseFilesMeta } from "./files-meta.ts";
export { parseGitFile } from "./user-git/git-file.ts";
export { parseSize, sizeLimitSetting, SIZE_LIMIT_BYTES } from "./left-out/size-limit.ts";
export { parseStagedTree } from "./user-git/staged-blobs.ts";
export { selectByGlobs } from "./left-out/selection.ts";
export { sweepHalfPacks, sweepRemains, sweepTemporary, temporaryPlace } from "./store/sweep-remains.ts";
export { topEntries } from "./snapshot-reader.ts";
