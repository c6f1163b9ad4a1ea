import type { Snapshot, SnapshotFile, SnapshotStore } from "./snapshot-store.ts";
import type { CapturedSession } from "./captured-session.ts";

/** How a picture of a workspace is taken. */
export interface EnvironmentSnapshotOptions {
  /** The session that is at work in it, which is captured too; an empty id is none. */
  readonly sessionId?: string;
  /** Claude Code's own folder, in which the session lies; `CLAUDE_CONFIG_DIR` or `~/.claude` by default. */
  readonly claudeHome?: string;
  readonly signal?: AbortSignal;
}

/** What the workspace was at a moment: its files, and the session that was at work in it. */
export interface EnvironmentSnapshot extends Snapshot {
  /** The session that had worked in it; none where none was named. */
  readonly sessionId?: string;
  /** That session, as it was at this moment. */
  readonly session?: CapturedSession;
  readonly capturedAt: string;
  /** The store that holds the files. */
  readonly snapshots: SnapshotStore;
  /** The files and links that it holds, ordered by path, each as it is asked for. */
  files(): AsyncGenerator<SnapshotFile, void, void>;
}
