export type { BranchKind, BranchOptions } from "./branch-options.ts";
export { createGitSnapshotStore, type GitSnapshotStoreOptions } from "./git-snapshot-store.ts";
export type { Head } from "./head.ts";
export { takeLock } from "./lock-file.ts";
export { orphanBranches, removeOwned } from "./owned-branches.ts";
export { bytesOnlyIn, deadBranches, oldSnapshots, pruneStore, storeBytes } from "./prune-store.ts";
export type { NewState, StateId, StoredState } from "./state-commit.ts";
export type { StateStore } from "./state-store.ts";
export { loadConversations, pullStates, pushStates, saveConversation, type TransferredRef } from "./transfer.ts";
export { storageError } from "./storage-error.ts";
export { Workspace, type EnvironmentSnapshot, type WorkspaceOptions } from "./workspace.ts";
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
  SnapshotId,
  SnapshotStore,
} from "./snapshot-store.ts";
