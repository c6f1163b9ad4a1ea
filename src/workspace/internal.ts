// What other rooms use of this one; users have `index.ts`.
export type { BranchOptions } from "./branches/branch-options.ts";
export { freeBranchPlace } from "./branches/free-branch-place.ts";
export { findIdleGlobs, findNotCarried, type NotCarried } from "./branches/not-carried.ts";
export { orphanBranches, removeOwned } from "./branches/sweep-branches.ts";
export type { CapturedSession, EnvironmentSnapshot } from "./environment-snapshot.ts";
export { freeSpace, isTight } from "./pruning/free-space.ts";
export {
  bytesOnlyIn,
  createAttempts,
  deadBranches,
  type NotDone,
  oldSnapshots,
  pruneStore,
  storeBytes,
} from "./pruning/prune-store.ts";
export { findLostRecords } from "./records/find-records.ts";
export { findRecorded } from "./records/find-recorded.ts";
export {
  findNestedWorkspaces,
  findStores,
  findUnreadableStores,
  type FoundStore,
  openStates,
  storeExists,
} from "./records/find-stores.ts";
export { relinkWorkspace } from "./records/relink-workspace.ts";
export type { HalfRestore } from "./restore/half-restore.ts";
export { unrecordedError } from "./restore/unrecorded-changes.ts";
export type { Head } from "./states/head.ts";
export { type Note, parseNote } from "./states/note.ts";
export type { StateId, StoredState } from "./states/state-commit.ts";
export type { StateStore } from "./states/state-store.ts";
export { hideCredentials } from "./transfer/remote-address.ts";
export { loadConversations, saveConversation } from "./transfer/saved-conversation.ts";
export { pullStates, pushStates, type TransferredRef } from "./transfer/transfer.ts";
export { runUserGit } from "./transfer/user-git.ts";
export { Workspace, type WorkspaceOptions } from "./workspace.ts";
