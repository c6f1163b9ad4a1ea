import type { SkeinEvent, TurnStartEvent as TurnStart } from "../core/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { finishTurn, type EndedTurn, type FinishedTurn } from "./finish-turn.ts";
import { openJournal, type Journal } from "./journal.ts";
import type { SessionSegment } from "./session-entry.ts";
import type { Settings } from "./state.ts";
import { createSeen } from "./turn/seen-turn.ts";

/** A turn that is about to be run. */
export interface TurnPlan extends Omit<EndedTurn, "seen"> {
  readonly startedAt: string;
}

/** What a recorded turn works with. */
export interface TurnRecording {
  readonly workspace: Workspace;
  readonly plan: TurnPlan;
  /** The settings in force after the turn; what the engine said it runs with is known once it has begun. */
  readonly settings: (started: TurnStart | undefined) => Settings;
  /** What there is to note with the turn beside what was known before it. */
  readonly metadata: () => Readonly<Record<string, unknown>>;
  /** Starts the turn. */
  readonly events: () => AsyncIterable<SkeinEvent>;
  /** Told where to write down what the session is given, and undefined when that is over. */
  readonly onJournal: (journal: Journal | undefined) => void;
  /** What the turn added to the session. */
  readonly takeSegment: () => SessionSegment;
  readonly onRecorded: (done: FinishedTurn) => void;
}

/**
 * Runs a turn under a journal and records it, however it ends: also where its reader leaves it, and where it fails. What
 * kept the engine from running it at all is thrown, and nothing is recorded.
 */
export async function* recordTurn(turn: TurnRecording): AsyncGenerator<SkeinEvent, void, void> {
  const { workspace, plan } = turn;
  const { transitionId, conversationId, tip, before, prompt, metadata, settings, startedAt } = plan;
  await using journal = await openJournal(workspace, {
    transitionId,
    conversationId,
    tip: tip ?? null,
    beforeStateId: before.id,
    turn: plan.turn,
    prompt,
    metadata: { ...metadata },
    settings,
    startedAt,
  });
  turn.onJournal(journal);
  const seen = createSeen(journal);
  let done: FinishedTurn | undefined;
  try {
    for await (const event of turn.events()) {
      await seen.read(event);
      yield event;
    }
  } finally {
    const ended = seen.end();
    if (ended) {
      const segment = turn.takeSegment();
      done = await finishTurn(workspace, {
        ...plan,
        settings: turn.settings(ended.started),
        metadata: { ...plan.metadata, ...turn.metadata() },
        seen: { ...ended, segment, startedAt },
      });
      turn.onRecorded(done);
    }
    turn.onJournal(undefined);
    await journal.remove();
  }
  if (!done) return;
  const { state, transition } = done;
  yield {
    type: "state-recorded",
    timestamp: transition.recordedAt,
    stateId: state.id,
    transitionId: transition.id,
    conversationId: done.conversationId,
  };
}
