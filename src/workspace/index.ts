export { findIdleGlobs, findNotCarried, type NotCarried } from "./branches/not-carried.ts";
export { findStores, openStates, storeExists, type FoundStore, findNestedWorkspaces } from "./records/find-stores.ts";
export type { Head } from "./states/head.ts";
export { orphanBranches, removeOwned } from "./branches/sweep-branches.ts";
export {
  createAttempts,
  type NotDone,
  bytesOnlyIn,
  deadBranches,
  oldSnapshots,
  pruneStore,
  storeBytes,
  type Pruning,
} from "./pruning/prune-store.ts";
export { freeSpace, isTight } from "./pruning/free-space.ts";
export { findLostRecords, type FittingRecord } from "./records/find-records.ts";
export { relinkWorkspace } from "./records/relink-workspace.ts";
export type { StateId, StoredState } from "./states/state-commit.ts";
export type { StateStore } from "./states/state-store.ts";
export { loadConversations, saveConversation } from "./transfer/saved-conversation.ts";
export { pullStates, pushStates, type TransferredRef } from "./transfer/transfer.ts";
export { runUserGit } from "./transfer/user-git.ts";
export { hideCredentials } from "./transfer/remote-address.ts";
export { parseNote, type Note } from "./states/note.ts";
export { unrecordedError } from "./restore/unrecorded-changes.ts";
export { Workspace, type WorkspaceOptions } from "./workspace.ts";
export type { BranchKind, BranchOptions } from "./branches/branch-options.ts";
export type { CapturedSession, EnvironmentSnapshot } from "./environment-snapshot.ts";
export { createGitSnapshotStore, findLeftOutGit, type SnapshotStore, ConflictError } from "../snapshot/index.ts";
