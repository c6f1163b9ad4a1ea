import { createId, isoTime, type SkeinEvent } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { createHistory, findLastTurnOf, readHistory, type History } from "../history.ts";
import { headState, presentState, recordState, snapshotBefore } from "../record-state.ts";
import { EMPTY_SEGMENT, type SessionSegment } from "../session/session-entry.ts";
import { readSession } from "../session/session-segments.ts";
import { readStateFile, type State } from "../state.ts";
import { recordTurn, type TurnPlan } from "../turn/record-turn.ts";
import { recordedSettings, settingsAfter } from "../turn/recorded-settings.ts";
import { standAt, type Beginning, type ConversationPath, type TurnToKeep } from "./conversation-path.ts";

/** A path of states in the store: each turn is one, and the conversation's name moves with it. */
export class RecordedPath implements ConversationPath {
  readonly isResumed = false;
  readonly #workspace: Workspace;
  #id: string;
  #tip: State | undefined;
  #isNamed: boolean;
  #forksSession: boolean;
  #history: History;

  constructor(workspace: Workspace, { id, tip, isNamed, forksSession = true }: Beginning) {
    this.#workspace = workspace;
    this.#id = id;
    this.#tip = tip;
    this.#isNamed = isNamed;
    this.#forksSession = forksSession;
    this.#history = createHistory(() => (tip ? readHistory(workspace, tip.id) : []));
  }

  get id(): string {
    return this.#id;
  }

  get tip(): State | undefined {
    return this.#tip;
  }

  get history(): History {
    return this.#history;
  }

  get goesOnFrom(): ConversationPath["goesOnFrom"] {
    return this.#tip ?? {};
  }

  get forksSession(): boolean {
    return this.#forksSession;
  }

  async session(): Promise<SessionSegment> {
    return this.#tip ? await readSession(this.#workspace.states, this.#tip) : EMPTY_SEGMENT;
  }

  async catchUp(): Promise<boolean> {
    const workspace = this.#workspace;
    const tip = await workspace.states.tip(this.#id);
    const isBehind = tip !== undefined && tip !== this.#tip?.id;
    if (isBehind) {
      this.#tip = await readStateFile(workspace.states, tip);
      this.#history = createHistory(() => readHistory(workspace, tip));
      this.#isNamed = true;
      this.#forksSession = (await findLastTurnOf(workspace, this.#tip))?.conversationId !== this.#id;
    }
    if (this.#tip) await standAt(workspace, this.#tip);
    return isBehind;
  }

  async *run(turn: TurnToKeep): AsyncGenerator<SkeinEvent, void, void> {
    const plan = await this.#plan(turn);
    const inForce = this.#tip?.settings;
    const { options, turnOptions } = turn;
    yield* recordTurn({
      workspace: this.#workspace,
      plan,
      settings: (started) => settingsAfter({ options, turn: turnOptions, inForce, started }),
      metadata: () => turn.metadataAfter(),
      events: () => turn.events(),
      onJournal: (journal) => turn.onJournal(journal),
      takeSegment: () => turn.takeSegment(),
      onRecorded: (done) => {
        this.#id = done.conversationId;
        this.#tip = done.state;
        this.#isNamed = true;
        this.#forksSession = false;
        this.#history.add(done.transition);
        turn.onKept(done.transition);
      },
    });
  }

  /** Settles what the turn begins from: the tip, or the files as they were changed since. */
  async #plan({ prompt, metadata, options, turnOptions }: TurnToKeep): Promise<TurnPlan> {
    const workspace = this.#workspace;
    const startedAt = isoTime(workspace.clock.now());
    const snapshot = await snapshotBefore(workspace, turnOptions.signal);
    const settings = recordedSettings(options);
    const before = this.#tip
      ? await presentState(workspace, this.#tip, snapshot)
      : await recordState(workspace, {
          kind: "start",
          conversationId: this.#id,
          snapshot,
          parent: await headState(workspace),
          settings,
        });
    return {
      transitionId: createId(workspace.clock),
      conversationId: this.#id,
      tip: this.#isNamed ? this.#tip?.id : undefined,
      before,
      turn: (this.#tip?.turns ?? 0) + 1,
      prompt,
      metadata,
      settings,
      startedAt,
    };
  }
}
