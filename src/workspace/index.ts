export { ConflictError, createGitSnapshotStore, findLeftOutGit, type SnapshotStore } from "../snapshot/index.ts";
export type { BranchKind } from "./branches/branch-options.ts";
export type { EnvironmentSnapshot } from "./environment-snapshot.ts";
export type { Head } from "./states/head.ts";
export type { Note } from "./states/note.ts";
export type { StateId, StoredState } from "./states/state-commit.ts";
export { loadConversations, saveConversation } from "./transfer/saved-conversation.ts";
export { pullStates, pushStates } from "./transfer/transfer.ts";
export { Workspace, type WorkspaceOptions } from "./workspace.ts";
