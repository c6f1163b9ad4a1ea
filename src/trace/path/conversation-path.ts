import type { SkeinEvent } from "../../core/index.ts";
import type { ClaudeOptions, TurnOptions } from "../../engine/index.ts";
import type { History } from "../history.ts";
import type { Journal } from "../journal.ts";
import type { SessionSegment } from "../session-entry.ts";
import type { Settings, State } from "../state.ts";
import type { Transition } from "../transition.ts";
import type { RecordedPrompt } from "../transition-file.ts";

/** Where a conversation stands, and how its turns are kept: in the store, or only in memory. */
export interface ConversationPath {
  readonly id: string;
  /** The last recorded state of it; none where nothing is recorded yet. */
  readonly tip: State | undefined;
  readonly history: History;
  /** What the next turn goes on from. */
  readonly goesOnFrom: { readonly sessionId?: string | undefined; readonly settings?: Settings | undefined };
  /** Whether that session is another conversation's, so that the next turn forks it. */
  readonly forksSession: boolean;
  /** Whether that session is Claude Code's own, and goes on in its own transcript. */
  readonly isResumed: boolean;
  /** The session so far. */
  session(): Promise<SessionSegment>;
  /** Makes sure that a turn can begin here; true where somebody else has taken the conversation further meanwhile. */
  catchUp(): Promise<boolean>;
  /** Runs a turn and keeps it, however it ends. */
  run(turn: TurnToKeep): AsyncGenerator<SkeinEvent, void, void>;
}

/** A turn that is to be run and kept. Nothing in it holds a secret of this process. */
export interface TurnToKeep {
  readonly prompt: RecordedPrompt;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The conversation's own options. */
  readonly options: ClaudeOptions;
  /** What was said for this turn alone. */
  readonly turnOptions: TurnOptions;
  /** What there is to note with it when it has ended. */
  metadataAfter(): Readonly<Record<string, unknown>>;
  /** Starts it. */
  events(): AsyncIterable<SkeinEvent>;
  /** Told where to write down what the session is given, and undefined when that is over. */
  onJournal(journal: Journal | undefined): void;
  /** What it added to the session. */
  takeSegment(): SessionSegment;
  onKept(transition: Transition): void;
}
