import {
  failedResult,
  SkeinError,
  type SkeinEvent,
  type TurnResult,
  type TurnStartEvent as TurnStart,
} from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { tellsTotal } from "../ledger.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import type { Settings } from "../state.ts";
import type { SeenTurn } from "../transition.ts";
import { finishTurn, type EndedTurn, type FinishedTurn } from "./finish-turn.ts";
import { openJournal, type Journal } from "./journal.ts";
import { createToolRecorder } from "./tool-recorder.ts";

/** A turn that is about to be run. */
export interface TurnPlan extends Omit<EndedTurn, "seen"> {
  readonly startedAt: string;
}

/** What a recorded turn works with. */
interface TurnRecording {
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

/** Gathers what a turn shows of itself. */
interface Seen {
  read(event: SkeinEvent): Promise<void>;
  /** What there is to record; undefined where the turn never began. */
  end(): (Pick<SeenTurn, "result" | "hasTotal" | "tools"> & { readonly started: TurnStart | undefined }) | undefined;
}

/** Starts to gather; what must not be lost with the process is written down, where there is a journal. */
export function createSeen(journal?: Pick<Journal, "tool" | "end">): Seen {
  const tools = createToolRecorder();
  let started: TurnStart | undefined;
  let ended: { readonly result: TurnResult; readonly hasTotal: boolean } | undefined;
  return {
    async read(event) {
      const call = tools.read(event);
      if (call) await journal?.tool(call);
      if (event.type === "turn-start") started ??= event;
      if (event.type !== "turn-end") return;
      const { result, raw } = event;
      ended = { result, hasTotal: raw !== undefined || tellsTotal(result) };
      await journal?.end(result);
    },
    end: () => (started || ended ? { ...(ended ?? leftBy(started)), tools: tools.executions(), started } : undefined),
  };
}

/** The reader left: the turn was stopped, and nobody heard what it came to. */
function leftBy(started: TurnStart | undefined): { readonly result: TurnResult; readonly hasTotal: false } {
  const error = new SkeinError("The turn was cancelled: nobody was reading it any more", { kind: "cancelled" });
  return { hasTotal: false, result: failedResult(error, { sessionId: started?.sessionId, model: started?.model }) };
}
