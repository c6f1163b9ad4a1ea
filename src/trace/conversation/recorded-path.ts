import { createId, isoTime, type ControlRequest, type SkeinEvent } from "../../core/internal.ts";
import { DEFAULT_IDLE_MS } from "../../engine/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { createHistory, findLastTurnOf, readHistory, type History } from "../record/history.ts";
import { presentState, recordStart, snapshotBefore } from "../record/record-state.ts";
import { EMPTY_SEGMENT, type SessionSegment } from "../session/session-entry.ts";
import { readSession } from "../session/session-segments.ts";
import { readStateFile, type State } from "../record/state.ts";
import { finishTurn, type FinishedTurn } from "../turn/finish-turn.ts";
import { openJournal, type BegunTurn } from "../turn/journal.ts";
import { keepOffer } from "../turn/kept-offer.ts";
import { createSeen } from "../turn/seen-turn.ts";
import { recordedSettings, settingsAfter } from "../turn/recorded-settings.ts";
import { openTurnEvents } from "../turn/turn-events.ts";
import { ensureHead, type Beginning, type ConversationPath, type TurnToKeep } from "./conversation-path.ts";

/** A path of states in the store: each turn is one, and the conversation's name moves with it. */
export class RecordedPath implements ConversationPath {
  readonly isResumed = false;
  id: string;
  tip: State | undefined;
  forksSession: boolean;
  history: History;
  readonly #workspace: Workspace;
  #isNamed: boolean;

  constructor(workspace: Workspace, { id, tip, isNamed, forksSession = true }: Beginning) {
    this.#workspace = workspace;
    this.id = id;
    this.tip = tip;
    this.#isNamed = isNamed;
    this.forksSession = forksSession;
    this.history = createHistory(() => (tip ? readHistory(workspace, tip.id) : []));
  }

  get goesOnFrom(): ConversationPath["goesOnFrom"] {
    return this.tip ?? {};
  }

  async session(): Promise<SessionSegment> {
    return this.tip ? await readSession(this.#workspace.states, this.tip) : EMPTY_SEGMENT;
  }

  async catchUp(): Promise<boolean> {
    const workspace = this.#workspace;
    const tip = await workspace.states.tip(this.id);
    const isBehind = tip !== undefined && tip !== this.tip?.id;
    if (isBehind) {
      this.tip = await readStateFile(workspace.states, tip);
      this.history = createHistory(() => readHistory(workspace, tip));
      this.#isNamed = true;
      this.forksSession = (await findLastTurnOf(workspace, this.tip))?.conversationId !== this.id;
    }
    if (this.tip) await ensureHead(workspace, this.tip);
    return isBehind;
  }

  /** Recorded however it ends: also where its reader leaves it. What kept the engine from running it at all is thrown, and nothing is recorded. */
  async *run(turn: TurnToKeep): AsyncGenerator<SkeinEvent, void, void> {
    const recorded = yield* this.#runTurn(turn);
    if (recorded) yield recorded;
  }

  async *#runTurn(turn: TurnToKeep): AsyncGenerator<SkeinEvent, SkeinEvent | undefined, void> {
    const { before, ...head } = await this.#plan(turn);
    await using journal = await openJournal(this.#workspace, head);
    turn.onJournal(journal);
    const seen = createSeen(journal);
    using events = await openTurnEvents(this.#workspace, head, {
      onControl: async (request) => {
        await turn.onControl(request);
        events.add({ ...controlled(request), timestamp: isoTime(this.#workspace.clock.now()) });
      },
      idleLimitMs: turn.turnOptions.idleTimeoutMs ?? turn.options.idleTimeoutMs ?? DEFAULT_IDLE_MS,
    });
    let recorded: SkeinEvent | undefined;
    try {
      for await (const event of seen.follow(turn.events())) {
        events.add(event);
        if (event.type === "turn-start") await keepOffer(this.#workspace.home, event.raw);
        yield event;
      }
    } finally {
      const ended = seen.end();
      if (ended) {
        const done = await finishTurn(this.#workspace, {
          ...head,
          before,
          settings: settingsAfter(turn, { inForce: this.tip?.settings, started: ended.started }),
          metadata: { ...head.metadata, ...turn.metadataAfter() },
          seen: { ...ended, segment: turn.takeSegment(), startedAt: head.startedAt },
        });
        this.#goOn(done);
        turn.onKept(done.transition);
        recorded = recordedEvent(done);
        events.add(recorded);
      }
      turn.onJournal(undefined);
      await journal.remove();
    }
    return recorded;
  }

  #goOn({ conversationId, state, transition }: FinishedTurn): void {
    this.id = conversationId;
    this.tip = state;
    this.#isNamed = true;
    this.forksSession = false;
    this.history.add(transition);
  }

  /** Settles what the turn begins from: the tip, or the files as they were changed since. */
  async #plan(turn: TurnToKeep): Promise<BegunTurn & { readonly before: State }> {
    const { prompt, metadata, options, turnOptions } = turn;
    const workspace = this.#workspace;
    const startedAt = isoTime(workspace.clock.now());
    const snapshot = await snapshotBefore(workspace, turnOptions.signal);
    const settings = recordedSettings(options);
    const before = this.tip
      ? await presentState(workspace, this.tip, snapshot)
      : await recordStart(workspace, { conversationId: this.id, snapshot, settings });
    return {
      transitionId: createId(workspace.clock),
      conversationId: this.id,
      tip: (this.#isNamed && this.tip?.id) || null,
      before,
      beforeStateId: before.id,
      turn: (this.tip?.turns ?? 0) + 1,
      prompt,
      metadata: { ...metadata },
      settings,
      startedAt,
    };
  }
}

function recordedEvent({ state, transition, conversationId }: FinishedTurn): SkeinEvent {
  const { id: transitionId, recordedAt: timestamp } = transition;
  return { type: "state-recorded", timestamp, stateId: state.id, transitionId, conversationId };
}

/** What is told of what somebody else had done to a turn. */
function controlled(request: ControlRequest): {
  readonly type: "status";
  readonly status: string;
  readonly detail: string;
} {
  const { type: status, by } = request;
  const what =
    request.type === "set-model" ? request.model : request.type === "set-permission-mode" ? request.mode : "";
  return { type: "status", status, detail: `${what} by ${by}`.trim() };
}
