export { createGitSnapshotStore, type GitSnapshotStoreOptions } from "./git-snapshot-store.ts";
export type {
  CaptureOptions,
  FileChange,
  FileState,
  GitState,
  LeftOut,
  Restoration,
  RestoreOptions,
  Snapshot,
  SnapshotId,
  SnapshotStore,
} from "./snapshot-store.ts";
