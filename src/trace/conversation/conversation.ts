import {
  defined,
  drain,
  microUsd,
  SkeinError,
  sumMicroUsd,
  toUsd,
  type MicroUsd,
  type SkeinEvent,
  type TurnStream,
} from "../../core/internal.ts";
import {
  createSecretRedactor,
  parseTurnOptions,
  readPrompt,
  type ClaudeOptions,
  type ClaudePrompt,
  type Engine,
  type EngineSession,
  type PermissionMode,
  type PromptInput,
  type SecretRedactor,
  type TurnOptions,
} from "../../engine/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { controlTurn } from "./control-turn.ts";
import { findLastTurnOf } from "../record/history.ts";
import { takeDirectory, type TakenDirectory } from "../recovery/interrupted-turns.ts";
import { beginningAt, findBeginning, type Beginning, type ConversationPath } from "./conversation-path.ts";
import { RecordedPath } from "./recorded-path.ts";
import { UnrecordedPath } from "./unrecorded-path.ts";
import { restoreState, type Arrival, type RestoreStateOptions } from "../undo/restore-state.ts";
import { importSession, type ForeignSession } from "../session/import-session.ts";
import { readStateFile, type State } from "../record/state.ts";
import { toRecordedPrompt, type Transition } from "../record/transition.ts";
import type { Journal } from "../turn/journal.ts";
import { recordedSettings } from "../turn/recorded-settings.ts";
import { noTurn, RunningTurn } from "../turn/running-turn.ts";
import { createSessionMirror, type SessionMirror } from "../turn/session-mirror.ts";
import { undoTurn, type UndoOptions } from "../undo/undo-turn.ts";

/** What a conversation is held with. */
export interface ConversationParts {
  readonly engine: Engine;
  /** Options for every turn; where the agent works is the workspace's matter. */
  readonly options?: Omit<ClaudeOptions, "cwd" | "resume" | "forkSession" | "continue" | "sessionStore"> | undefined;
  /** Recorded with every turn. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its turns are recorded, which they are by default; otherwise they are held in memory, and a recorder can record single ones. */
  readonly record?: boolean | undefined;
  /** The caller has taken the directory, for as long as the conversation is open; otherwise each turn takes it. */
  readonly isClaimed?: boolean | undefined;
}

/** What can be said for one turn: tools, model, permission mode and limits, over what holds for the conversation. */
export interface SendOptions extends TurnOptions {
  /** Recorded with the turn, beside the conversation's own. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A path of turns in a workspace, each recorded with the files and the session before and after it. */
export class Conversation implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly #mirror: SessionMirror;
  /** Nothing is recorded or told that holds a secret of this process. */
  readonly #secrets: SecretRedactor;
  /** What the undo or the restore that it goes on from came to, with the way back; none for other conversations. */
  readonly arrival: Arrival | undefined;
  readonly #ownsWorkspace: boolean;
  readonly #path: ConversationPath;
  #parts: ConversationParts;
  #session: EngineSession | undefined;
  #journal: Journal | undefined;
  #turn: RunningTurn | undefined;
  /** The loosest mode that who holds the conversation has allowed. */
  #loosestMode: PermissionMode;
  #isClosed = false;

  private constructor(
    workspace: Workspace,
    parts: ConversationParts,
    { arrival, ownsWorkspace = false, ...from }: Beginning & { arrival?: Arrival; ownsWorkspace?: boolean },
  ) {
    this.workspace = workspace;
    this.arrival = arrival;
    this.#parts = parts;
    this.#loosestMode = parts.options?.permissionMode ?? "default";
    this.#path = parts.record === false ? new UnrecordedPath(workspace, from) : new RecordedPath(workspace, from);
    this.#ownsWorkspace = ownsWorkspace;
    this.#secrets = createSecretRedactor([process.env, parts.options?.env ?? {}]);
    this.#mirror = createSessionMirror(() => this.#path.session(), {
      redact: this.#secrets.value,
      onAppend: async (batch) => await this.#journal?.entries(batch),
    });
  }

  /** Begins a new conversation with the files as they are. Nothing is recorded before its first turn. */
  static async start(workspace: Workspace, parts: ConversationParts): Promise<Conversation> {
    return new Conversation(workspace, parts, beginningAt(workspace, undefined));
  }

  /**
   * Goes on with a conversation, by its id or the beginning of one; or from any other state, as a fork of what led to it. However long it
   * is, only its end is read; the rest when `history()` or what is counted of it is asked for.
   */
  static async load(workspace: Workspace, name: string, parts: ConversationParts): Promise<Conversation> {
    const from = await findBeginning(workspace, name);
    // What is not recorded is not the conversation's own, however it begins.
    return new Conversation(workspace, parts, parts.record === false ? beginningAt(workspace, from.tip) : from);
  }

  /**
   * Takes up a session of Claude Code's own as a recorded conversation, with the files as they are. The record begins with the session; the
   * first turn goes on in a fork of it, so that Claude Code's own transcript stays as it is.
   */
  static async import(workspace: Workspace, session: ForeignSession, parts: ConversationParts): Promise<Conversation> {
    if (parts.record === false) {
      throw new SkeinError("A session is imported into a record, which record: false rules out", { kind: "usage" });
    }
    const secrets = createSecretRedactor([process.env, parts.options?.env ?? {}]);
    const settings = recordedSettings(parts.options ?? {});
    const tip = await importSession(workspace, session, { settings, secrets, isClaimed: parts.isClaimed });
    return new Conversation(workspace, parts, { id: tip.conversationId, tip, isNamed: true });
  }

  /** Goes on in a session of Claude Code's own, and in its own transcript. Its turns are held in memory: the session is not Skein's. */
  static async resume(workspace: Workspace, sessionId: string, parts: ConversationParts): Promise<Conversation> {
    const from = { ...beginningAt(workspace, undefined), resumes: sessionId };
    return new Conversation(workspace, { ...parts, record: false }, from);
  }

  /** The conversation's own id. */
  get id(): string {
    return this.#path.id;
  }

  /** The recorded state that it has come to; none before the first turn. */
  get tip(): State | undefined {
    return this.#path.tip;
  }

  /** The turns that led to the tip, oldest first, those before a fork too. After `load` the first call reads them, at once. */
  history(): readonly Transition[] {
    return this.#path.history.all();
  }

  /** The Claude Code sessions that it went through, oldest first. */
  get sessionIds(): readonly string[] {
    const ids = this.history()
      .map(({ execution }) => execution.sessionId)
      .filter(Boolean);
    return [...new Set(ids)];
  }

  /** What the turns of its history cost together. */
  get totalCostUsd(): number {
    return toUsd(sumMicroUsd(this.history().map(({ execution }) => microUsd(execution.costUsd))));
  }

  /** The names of all tools that were used, each once, sorted. */
  toolsUsed(): readonly string[] {
    return [...new Set(this.history().flatMap((transition) => transition.toolsUsed()))].toSorted();
  }

  /** Runs a turn and gives it as it was recorded. A turn that failed is recorded too: its execution says so. */
  async send(prompt: PromptInput, options: SendOptions = {}): Promise<Transition> {
    return await drain(this.stream(prompt, options));
  }

  /** Runs a turn and gives its events; the last is `state-recorded`. A reader who leaves cancels the turn. */
  async *stream(prompt: PromptInput, options: SendOptions = {}): AsyncGenerator<SkeinEvent, Transition, void> {
    parseTurnOptions(options, ["metadata"]);
    if (this.#isClosed) throw new SkeinError("The conversation is closed", { kind: "usage", target: this.id });
    if (this.#turn) throw oneAtATime();
    using turn = (this.#turn = new RunningTurn());
    try {
      const signal = turn.signal(options.signal);
      // Its parts may take their time to come, and nobody else is kept from the directory meanwhile.
      const whole = await readPrompt(prompt, signal);
      await using _ = await this.#take();
      if (await this.#path.catchUp()) await this.#endSession();
      return yield* this.#runTurn(whole, { ...options, signal }, turn);
    } finally {
      this.#turn = undefined;
    }
  }

  /** Whether a turn is running now. */
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /** Stops the turn that runs: it is recorded as cancelled, and the conversation can go on. */
  async interrupt(): Promise<void> {
    if (!this.#turn) throw noTurn();
    this.#turn.stop();
  }

  /** Says more while a turn runs. It becomes part of that turn, which ends when all that was said is answered. */
  async addPrompt(prompt: PromptInput): Promise<void> {
    const whole = await readPrompt(prompt);
    if (!this.#turn) throw noTurn();
    await this.#turn.add(this.#secrets.value(whole.text), async () => {
      if (!this.#session?.addPrompt) {
        throw new SkeinError("This engine takes no prompt while a turn runs", { kind: "usage" });
      }
      await this.#session.addPrompt(whole);
    });
  }

  /** Another model for this conversation, from the next response on. */
  async setModel(model: string): Promise<void> {
    await this.#change({ model }, async (session) => await session.setModel?.(model));
  }

  /** Another permission mode for this conversation, from the next tool call on. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#changeMode(mode);
    this.#loosestMode = mode;
  }

  /**
   * Begins another conversation from a state of this one, its tip by default. Where that state is not the
   * head, the fork gets a branch of the workspace, which is removed when the fork is closed.
   */
  async fork(at?: string, { workspace }: { readonly workspace?: Workspace } = {}): Promise<Conversation> {
    if (at === undefined) this.#needRecord("fork");
    const id = await this.workspace.states.resolve(at ?? this.tip?.id ?? "@");
    const isHere = (await this.workspace.states.head())?.stateId === id;
    const place = workspace ?? (isHere ? this.workspace : await this.workspace.branch(id));
    const tip = await readStateFile(place.states, id);
    const ownsWorkspace = workspace === undefined && !isHere;
    // What the caller has taken is this directory and no other.
    const parts = place === this.workspace ? this.#parts : { ...this.#parts, isClaimed: false };
    return new Conversation(place, parts, { ...beginningAt(place, tip), ownsWorkspace });
  }

  /**
   * Takes back what the last turn did to files, git and session, and keeps what was done since. Where both changed the same
   * lines it refuses with a `ConflictError`, unless `onConflict` says otherwise. Gives the conversation that goes on from there;
   * its `arrival` has the way back.
   */
  async undo({ onConflict }: Pick<UndoOptions, "onConflict"> = {}): Promise<Conversation> {
    await using _ = await this.#leave("undo");
    await this.#path.catchUp();
    const last = this.tip && (await findLastTurnOf(this.workspace, this.tip));
    if (last?.parentId === undefined) {
      throw new SkeinError("There is no turn to undo", { kind: "usage", target: this.id });
    }
    const arrival = await undoTurn(this.workspace, { before: last.parentId, after: last.id }, { onConflict });
    return new Conversation(this.workspace, this.#parts, { ...beginningAt(this.workspace, arrival.state), arrival });
  }

  /** Makes the directory equal to a state, by any of its names; gives the conversation that goes on from there, whose `arrival` has the way back. */
  async restore(
    state: string,
    { onUnrecorded }: Pick<RestoreStateOptions, "onUnrecorded"> = {},
  ): Promise<Conversation> {
    await using _ = await this.#leave("restore");
    const arrival = await restoreState(this.workspace, state, { isClaimed: true, ...defined({ onUnrecorded }) });
    const from = await findBeginning(this.workspace, arrival.state.id);
    return new Conversation(this.workspace, this.#parts, { ...from, arrival });
  }

  /** Stops a turn that runs, ends the process, and removes the branch of a fork that was given one. What was recorded stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turn?.stop();
    await this.#turn?.settle(this.workspace.clock);
    await this.#endSession();
    if (this.#ownsWorkspace) await this.workspace.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#runTurn(
    prompt: ClaudePrompt,
    { metadata, ...options }: SendOptions,
    turn: RunningTurn,
  ): AsyncGenerator<SkeinEvent, Transition, void> {
    let last: Transition | undefined;
    const running = this.#path.run({
      prompt: this.#secrets.value(toRecordedPrompt(prompt)),
      metadata: this.#secrets.value({ ...this.#parts.metadata, ...metadata, ...turnOptionsOf(options) }),
      options: this.#parts.options ?? {},
      turnOptions: options,
      metadataAfter: () => (turn.added.length > 0 ? { addedPrompts: [...turn.added] } : {}),
      events: () => this.#secrets.events(this.#events(prompt, options)),
      onJournal: (journal) => (this.#journal = journal),
      takeSegment: () => this.#mirror.take(),
      onControl: async (request) =>
        await controlTurn(request, {
          conversation: this,
          canBeTold: this.#session !== undefined,
          loosest: options.permissionMode ?? this.#loosestMode,
          setMode: async (mode) => await this.#changeMode(mode),
        }),
      onKept: (transition) => (last = transition),
    });
    for await (const event of running) yield* turn.hand(event);
    if (last) return last;
    throw new SkeinError("The engine gave no event", { kind: "runtime" });
  }

  /** The turn in the process that is kept, or in a new one that takes the session up where the tip has it. */
  #events(prompt: ClaudePrompt, limits: TurnOptions): TurnStream {
    const { engine, options } = this.#parts;
    const { sessionId, settings } = this.#path.goesOnFrom;
    const all: ClaudeOptions = {
      ...defined({ model: settings?.model }),
      ...options,
      ...this.#moneyLeft(),
      cwd: this.workspace.path,
      // What the CLI goes on with in its own transcript is there already.
      ...(this.#path.isResumed ? {} : { sessionStore: this.#mirror.store, sessionStoreFlush: "eager" as const }),
      ...(sessionId === undefined ? {} : { resume: sessionId, forkSession: this.#path.forksSession }),
    };
    if (!engine.open) return engine.stream(prompt, { ...all, ...limits });
    this.#session ??= engine.open(all);
    return this.#session.stream(prompt, limits);
  }

  /** What the turns of its history have left of the conversation's money. */
  #moneyLeft(): Pick<ClaudeOptions, "maxConversationCostUsd"> {
    const limit = this.#parts.options?.maxConversationCostUsd;
    if (limit === undefined) return {};
    const left = toUsd((microUsd(limit) - microUsd(this.totalCostUsd)) as MicroUsd);
    return { maxConversationCostUsd: Math.max(0, left) };
  }

  async #changeMode(mode: PermissionMode): Promise<void> {
    await this.#change({ permissionMode: mode }, async (session) => await session.setPermissionMode?.(mode));
  }

  /** Changes an option from here on, in the process that is kept too. */
  async #change(
    change: Pick<ClaudeOptions, "model" | "permissionMode">,
    tell: (session: EngineSession) => Promise<void>,
  ): Promise<void> {
    parseTurnOptions(change);
    if (this.#session) await tell(this.#session);
    this.#parts = { ...this.#parts, options: { ...this.#parts.options, ...change } };
  }

  #needRecord(what: string): void {
    if (this.#parts.record !== false) return;
    throw new SkeinError(`There is no state to ${what}: this conversation is held without a record`, {
      kind: "usage",
      target: this.id,
      hint: "Hold it with a record, or record its turns first: TransitionRecorder.record",
    });
  }

  /** Takes the directory, which is swept of what was cut off in it. */
  async #take(): Promise<TakenDirectory | undefined> {
    return this.#parts.isClaimed ? undefined : await takeDirectory(this.workspace);
  }

  /** Ends the process and takes the directory, to bring it to another state. */
  async #leave(what: string): Promise<TakenDirectory | undefined> {
    if (this.#turn) throw oneAtATime();
    this.#needRecord(what);
    await this.#endSession();
    return await this.#take();
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.[Symbol.asyncDispose]();
  }
}

/** What was said for one turn alone, as far as it is written down. */
function turnOptionsOf(options: TurnOptions): Readonly<Record<string, unknown>> {
  const turnOptions = recordedSettings(options);
  return Object.keys(turnOptions).length === 0 ? {} : { turnOptions };
}

function oneAtATime(): SkeinError {
  const hint = "Wait for it, or fork the conversation to work side by side.";
  return new SkeinError("A turn of this conversation is already running", { kind: "workspace_busy", hint });
}
