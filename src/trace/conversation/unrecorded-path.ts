import { createId, isoTime, type SkeinEvent, type TurnStartEvent } from "../../core/internal.ts";
import type { EnvironmentSnapshot, Workspace } from "../../workspace/internal.ts";
import { holdTransition } from "../by-hand/transition-draft.ts";
import { createHistory, readHistory, type History } from "../record/history.ts";
import { snapshotBefore } from "../record/record-state.ts";
import { EMPTY_SEGMENT, joinSegments, type SessionSegment } from "../session/session-entry.ts";
import { readSession } from "../session/session-segments.ts";
import type { State } from "../record/state.ts";
import { toExecution } from "../record/transition.ts";
import { sessionAfter, type RecordedSeen } from "../turn/finish-turn.ts";
import { createSeen } from "../turn/seen-turn.ts";
import { settingsAfter } from "../turn/recorded-settings.ts";
import { ensureHead, type Beginning, type ConversationPath, type TurnToKeep } from "./conversation-path.ts";

/** A path that nothing is recorded of: its turns are held in memory, on top of a recorded state or of nothing. */
export class UnrecordedPath implements ConversationPath {
  readonly id: string;
  readonly tip: State | undefined;
  readonly history: History;
  readonly isResumed: boolean;
  readonly #workspace: Workspace;
  #said: SessionSegment = EMPTY_SEGMENT;
  goesOnFrom: ConversationPath["goesOnFrom"];
  #turns = 0;

  constructor(workspace: Workspace, { id, tip, resumes }: Beginning) {
    this.#workspace = workspace;
    this.id = id;
    this.tip = tip;
    this.history = createHistory(() => (tip ? readHistory(workspace, tip.id) : []));
    this.isResumed = resumes !== undefined;
    this.goesOnFrom = tip ?? { sessionId: resumes };
  }

  get forksSession(): boolean {
    return this.#turns === 0 && !this.isResumed;
  }

  async session(): Promise<SessionSegment> {
    const recorded = this.tip ? await readSession(this.#workspace.states, this.tip) : EMPTY_SEGMENT;
    return joinSegments(recorded, this.#said);
  }

  async catchUp(): Promise<boolean> {
    if (this.tip && this.#turns === 0) await ensureHead(this.#workspace, this.tip);
    return false;
  }

  async *run(turn: TurnToKeep): AsyncGenerator<SkeinEvent, void, void> {
    const startedAt = isoTime(this.#workspace.clock.now());
    const before = await snapshotBefore(this.#workspace, turn.turnOptions.signal);
    const seen = createSeen();
    try {
      yield* seen.follow(turn.events());
    } finally {
      const ended = seen.end();
      if (ended) await this.#keep(turn, before, { ...ended, segment: turn.takeSegment(), startedAt });
    }
  }

  async #keep(
    turn: TurnToKeep,
    before: EnvironmentSnapshot,
    { started, ...seen }: RecordedSeen & { readonly started: TurnStartEvent | undefined },
  ): Promise<void> {
    const { clock, snapshots } = this.#workspace;
    const after = await this.#workspace.snapshot();
    const earlier = await this.session();
    const sessionId = sessionAfter(this.goesOnFrom, seen);
    const settings = settingsAfter(turn, { inForce: this.goesOnFrom.settings, started });
    this.#turns += 1;
    this.#said = joinSegments(this.#said, seen.segment);
    this.goesOnFrom = { sessionId, settings };
    const transition = holdTransition({
      file: {
        id: createId(clock),
        conversationId: this.id,
        turn: (this.tip?.turns ?? 0) + this.#turns,
        prompt: turn.prompt,
        execution: toExecution(this.isResumed ? { ...seen, segment: undefined } : seen),
        recordedAt: isoTime(clock.now()),
        metadata: { ...turn.metadata, ...turn.metadataAfter() },
        rewards: {},
      },
      before,
      after,
      snapshots,
      sessionId,
      earlier,
      segment: seen.segment,
      settings,
    });
    this.history.add(transition);
    turn.onKept(transition);
  }
}
