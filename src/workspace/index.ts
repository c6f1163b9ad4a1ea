export type { ChangeCounts } from "./count-changes.ts";
export type { BranchKind, BranchOptions } from "./branch-options.ts";
export { findIdleGlobs, findNotCarried, type NotCarried } from "./carried/not-carried.ts";
export { createGitSnapshotStore, type GitSnapshotStoreOptions } from "./git-snapshot-store.ts";
export { findDamagedWorkspaces, mendWorkspaceFile, type DamagedWorkspace } from "./data-folder/workspace-file.ts";
export { findStores, openStates, storeExists, type FoundStore } from "./data-folder/find-stores.ts";
export { findNestedWorkspaces } from "./data-folder/nested-workspaces.ts";
export { makeFolder, syncFolder } from "./durable/sync-folder.ts";
export type { HalfRestore } from "./half-restore/half-restore.ts";
export type { Head } from "./head.ts";
export { orphanBranches, removeOwned } from "./owned-branches.ts";
export { createAttempts, type NotDone } from "./packing/attempts.ts";
export { freeSpace, isTight } from "./packing/free-space.ts";
export { bytesOnlyIn, deadBranches, oldSnapshots, pruneStore, storeBytes, type Pruning } from "./prune-store.ts";
export { findLostRecords, type FittingRecord } from "./relink/find-records.ts";
export { relinkWorkspace, type Relinked, type RelinkOptions } from "./relink/relink-workspace.ts";
export type { NewState, StateId, StoredState } from "./state-commit.ts";
export type { StateStore } from "./state-store.ts";
export { loadConversations, saveConversation } from "./transfer/saved-conversation.ts";
export { pullStates, pushStates, type TransferredRef } from "./transfer/transfer.ts";
export { runUserGit, type UserGitEnd, type UserGitOptions } from "./transfer/user-git.ts";
export { hideCredentials } from "./transfer/hide-credentials.ts";
export { STATE_LIMITS } from "./stored/limits.ts";
export { parseNote, type Note } from "./stored/note.ts";
export { storageError } from "./storage-error.ts";
export { compareLeftOut, isSameLeftOut, type UnheldChange } from "./left-out/compare-left-out.ts";
export { parseSize } from "./left-out/size-limit.ts";
export { ConflictError, type Conflict } from "./take-back/conflict-error.ts";
export { unrecordedError } from "./take-back/unrecorded-changes.ts";
export type { OnConflict } from "./take-back/merge-files.ts";
export type { TakeBackOptions, TakenBack } from "./take-back/take-back.ts";
export { findLeftOutGit, type LeftOutGit } from "./work-trees/left-out-git.ts";
export type { CapturedSession } from "./captured/captured-session.ts";
export type { EnvironmentSnapshot, EnvironmentSnapshotOptions } from "./captured/environment-snapshot.ts";
export { Workspace, type WorkspaceOptions, type WorkspaceRestoreOptions } from "./workspace.ts";
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
export { closedStore, type ClosedStoreOptions } from "./isolation/closed-store.ts";
export { IsolationConfig, type IsolationOptions } from "./isolation/isolation-config.ts";
export { isolatedEnvironment, type IsolatedEnvironment } from "./isolation/isolated-environment.ts";
export { allowsHost, isUnrestricted, NetworkPolicy, type NetworkPolicyOptions } from "./isolation/network-policy.ts";
export { createHeldFolder, sweepHeldFolders, type HeldFolder } from "./isolation/held-folder.ts";
export { createPrivateHome, type PrivateHome } from "./isolation/private-home.ts";
export { splitEnvironment, type SplitOptions } from "./isolation/split-environment.ts";
export { foldersToDeny, type DenyOptions } from "./isolation/readable-folders.ts";
export { SandboxConfig, type SandboxConfigOptions } from "./isolation/sandbox-config.ts";
export { checkMounts } from "./mounts/allowed-roots.ts";
export { copyMount, type MountPreview } from "./mounts/copy-mount.ts";
export { HostMount, type HostMountOptions } from "./mounts/host-mount.ts";
