export { findIdleGlobs, findNotCarried, type NotCarried } from "./branches/not-carried.ts";
export { findStores, openStates, storeExists, type FoundStore } from "./data-folder/find-stores.ts";
export { findNestedWorkspaces } from "./data-folder/nested-workspaces.ts";
export type { HalfRestore } from "./half-restore/half-restore.ts";
export type { Head } from "./states/head.ts";
export { orphanBranches, removeOwned } from "./branches/owned-branches.ts";
export { createAttempts, type NotDone } from "./packing/attempts.ts";
export { freeSpace, isTight } from "./packing/free-space.ts";
export { bytesOnlyIn, deadBranches, oldSnapshots, pruneStore, storeBytes, type Pruning } from "./prune-store.ts";
export { findLostRecords, type FittingRecord } from "./relink/find-records.ts";
export { relinkWorkspace, type Relinked, type RelinkOptions } from "./relink/relink-workspace.ts";
export type { NewState, StateId, StoredState } from "./states/state-commit.ts";
export type { StateStore } from "./states/state-store.ts";
export { loadConversations, saveConversation } from "./transfer/saved-conversation.ts";
export { pullStates, pushStates, type TransferredRef } from "./transfer/transfer.ts";
export { runUserGit, type UserGitEnd, type UserGitOptions } from "./transfer/user-git.ts";
export { hideCredentials } from "./transfer/hide-credentials.ts";
export { parseNote, type Note } from "./states/note.ts";
export { unrecordedError } from "./take-back/unrecorded-changes.ts";
export { Workspace, type WorkspaceOptions, type WorkspaceRestoreOptions } from "./workspace.ts";
export {
  type BranchKind,
  type BranchOptions,
  createGitSnapshotStore,
  findLeftOutGit,
  type EnvironmentSnapshot,
  type SnapshotFile,
  type SnapshotId,
  type SnapshotStore,
  ConflictError,
  type Conflict,
  type OnConflict,
} from "../snapshot/index.ts";
