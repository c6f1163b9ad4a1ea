import { readdir } from "node:fs/promises";
import { createId, SkeinError, type ControlHandler, type SkeinEvent } from "../../core/internal.ts";
import type { ClaudeOptions, TurnOptions } from "../../engine/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { findLastTurnOf, type History } from "../record/history.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import { readStateFile, type Settings, type State } from "../record/state.ts";
import type { RecordedPrompt } from "../record/transition-file.ts";
import type { Transition } from "../record/transition.ts";
import type { Journal } from "../turn/journal.ts";

/** What a conversation has come to, and how its turns are kept: in the store, or only in memory. */
export interface ConversationPath {
  readonly id: string;
  readonly tip: State | undefined;
  readonly history: History;
  /** What the next turn goes on from. */
  readonly goesOnFrom: { readonly sessionId?: string | undefined; readonly settings?: Settings | undefined };
  /** Whether that session is another conversation's, so that the next turn forks it. */
  readonly forksSession: boolean;
  /** Whether that session is Claude Code's own, and goes on in its own transcript. */
  readonly isResumed: boolean;
  session(): Promise<SessionSegment>;
  /** Makes sure that a turn can begin here; true where somebody else has taken the conversation further meanwhile. */
  catchUp(): Promise<boolean>;
  run(turn: TurnToKeep): AsyncGenerator<SkeinEvent, void, void>;
}

/** A turn that is to be run and kept. Nothing in it holds a secret of this process. */
export interface TurnToKeep {
  readonly prompt: RecordedPrompt;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly options: ClaudeOptions;
  readonly turnOptions: TurnOptions;
  metadataAfter(): Readonly<Record<string, unknown>>;
  events(): AsyncIterable<SkeinEvent>;
  /** Does what somebody asks who looks on. */
  readonly onControl: ControlHandler;
  /** Told where to write down what the session is given, and undefined when that is over. */
  onJournal(journal: Journal | undefined): void;
  takeSegment(): SessionSegment;
  onKept(transition: Transition): void;
}

export interface Beginning {
  readonly id: string;
  readonly tip: State | undefined;
  /** Whether the conversation's own name is at the tip; not so before the first turn, and before the first turn of a fork. */
  readonly isNamed: boolean;
  /** Whether the session is another conversation's; it is unless this says otherwise. */
  readonly forksSession?: boolean;
  /** A session of Claude Code's own that is gone on with where it lies; without a record only. */
  readonly resumes?: string;
}

export function beginningAt({ clock }: Workspace, tip: State | undefined): Beginning {
  return { id: createId(clock), tip, isNamed: false };
}

/** The conversation that is named, or that ends at the state that is; elsewhere a fork of what led to the state. */
export async function findBeginning(workspace: Workspace, name: string): Promise<Beginning> {
  const tip = await readStateFile(workspace.states, await workspace.states.resolve(name));
  const conversations = await workspace.states.conversations();
  const named = conversations.get(name) === tip.id ? name : undefined;
  const own = named ?? (conversations.get(tip.conversationId) === tip.id ? tip.conversationId : undefined);
  if (own === undefined) return beginningAt(workspace, tip);
  const forksSession = (await findLastTurnOf(workspace, tip))?.conversationId !== own;
  return { id: own, tip, isNamed: true, forksSession };
}

/** A conversation that came from elsewhere gives its files to an empty directory, or takes one that has them. The caller holds the directory. */
export async function ensureHead(workspace: Workspace, tip: State): Promise<void> {
  const { path: target } = workspace;
  const id = tip.id.slice(0, 12);
  const head = await workspace.states.head();
  if (head?.stateId === tip.id) return;
  if (head) {
    throw new SkeinError(`The head of ${target} is no longer the end of this conversation`, {
      kind: "workspace_busy",
      target,
      hint: `Another conversation or a restore has moved it since: restore ${id} first, or fork the conversation into a branch`,
    });
  }
  const isEmpty = (await readdir(workspace.view)).length === 0;
  if (!isEmpty && (await workspace.snapshot()).id !== tip.filesId) {
    throw new SkeinError(`${target} has other files than the conversation ended with`, {
      kind: "conflict",
      target,
      hint: `Restore them first: workspace.restore("${id}"), or skein restore ${id}, which shows what it would replace; or load the conversation into an empty directory`,
    });
  }
  await workspace.restore(tip.id, { isClaimed: true });
}
