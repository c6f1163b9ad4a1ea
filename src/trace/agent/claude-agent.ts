import { drain, SkeinError, type SkeinEvent } from "../../core/internal.ts";
import { ClaudeEngine, parseTurnOptions, type Engine, type PromptInput } from "../../engine/internal.ts";
import { loadConversations, saveConversation, Workspace, type WorkspaceOptions } from "../../workspace/internal.ts";
import { AgentResponse } from "./agent-response.ts";
import { Conversation, type ConversationParts, type SendOptions } from "../conversation/conversation.ts";
import { restoreState, type Arrival, type RestoreStateOptions } from "../undo/restore-state.ts";
import { undoLastTurn, type UndoOptions } from "../undo/undo-turn.ts";

/** How an agent is set up. */
export interface ClaudeAgentOptions {
  /** What runs the turns; the Claude Code CLI by default. */
  readonly engine?: Engine;
  /** Options for every turn. */
  readonly options?: ConversationParts["options"];
  /** Whether each prompt goes on in the same conversation; true by default. */
  readonly autoContinue?: boolean;
  /** Whether turns are recorded; true by default. Otherwise they are held in memory, as long as the conversation is. */
  readonly recordTransitions?: boolean;
  /** How the workspace is opened. */
  readonly workspace?: WorkspaceOptions;
}

/** What can be said for one prompt. */
export interface AgentSendOptions extends SendOptions {
  /** Whether to go on in the same conversation, whatever `autoContinue` says. */
  readonly continue?: boolean;
}

/** An agent in a directory: prompts in, responses out, every turn recorded. */
export class ClaudeAgent implements AsyncDisposable {
  readonly #path: string;
  readonly #options: ClaudeAgentOptions;
  readonly #engine: Engine;
  #workspace: Promise<Workspace> | undefined;
  #conversation: Conversation | undefined;
  /** Conversations are begun, loaded and closed one after the other: two first prompts at once share one. */
  #last: Promise<unknown> = Promise.resolve();
  #history: AgentResponse[] = [];
  /** Turns that run, or are about to. */
  #turns = 0;

  constructor(path: string, options: ClaudeAgentOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#engine = options.engine ?? new ClaudeEngine();
  }

  /** The workspace, opened with the first call that needs it. */
  async workspace(): Promise<Workspace> {
    const opening = (this.#workspace ??= Workspace.open(this.#path, this.#options.workspace));
    try {
      return await opening;
    } catch (error) {
      // The next call tries again, and there is nothing to close.
      if (this.#workspace === opening) this.#workspace = undefined;
      throw error;
    }
  }

  /** The conversation that the next prompt goes on with; undefined before the first. */
  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** The responses of this conversation, oldest first. */
  history(): readonly AgentResponse[] {
    return this.#history;
  }

  /** What this conversation cost so far. */
  get totalCostUsd(): number {
    return this.#conversation?.totalCostUsd ?? 0;
  }

  /** The Claude Code sessions that it went through. */
  get sessionIds(): readonly string[] {
    return this.#conversation?.sessionIds ?? [];
  }

  /** Sends a prompt and gives the response. A turn that failed has one too: `hasErrors` says so. */
  async send(prompt: PromptInput, options: AgentSendOptions = {}): Promise<AgentResponse> {
    return await drain(this.stream(prompt, options));
  }

  /** Sends a prompt and gives the events as they come, then the response. */
  async *stream(prompt: PromptInput, options: AgentSendOptions = {}): AsyncGenerator<SkeinEvent, AgentResponse, void> {
    parseTurnOptions(options, ["continue", "metadata"]);
    const { continue: goesOn = this.#options.autoContinue ?? true, ...turn } = options;
    const conversation = await this.#inTurn(async () => {
      if (!goesOn) await this.#leave();
      this.#conversation ??= await Conversation.start(await this.workspace(), this.#parts());
      this.#turns += 1;
      return this.#conversation;
    });
    try {
      const response = await AgentResponse.of(yield* conversation.stream(prompt, turn));
      if (conversation === this.#conversation) this.#history.push(response);
      return response;
    } finally {
      this.#turns -= 1;
    }
  }

  /** The next prompt begins a new conversation, with the files as they are. */
  async newConversation(): Promise<void> {
    await this.#inTurn(async () => await this.#leave());
  }

  /** Writes the conversation, with all files and sessions that it went through, into one file. */
  async saveConversation(file: string): Promise<void> {
    const workspace = await this.workspace();
    await saveConversation(workspace, this.#conversation?.id ?? "none", file);
  }

  /** Goes on with a conversation of this workspace, or with one from a file. Its end must be the head, or the directory empty and unrecorded. */
  async loadConversation(source: string | { readonly file: string }): Promise<void> {
    await this.#inTurn(async () => {
      const workspace = await this.workspace();
      const [loaded] = typeof source === "string" ? [source] : (await loadConversations(workspace, source.file)).keys();
      await this.#leave();
      await this.#load(workspace, loaded ?? "");
    });
  }

  /** Takes back the last turn here, and keeps what was done since; refuses with a `ConflictError` where both changed the same lines, by default. */
  async undo({ onConflict }: Pick<UndoOptions, "onConflict"> = {}): Promise<Arrival> {
    return await this.#goTo((workspace) => undoLastTurn(workspace, { onConflict }));
  }

  /** Makes the directory equal to a state, by any of its names; the next prompt goes on from there. */
  async restore(state: string, options: Pick<RestoreStateOptions, "onUnrecorded"> = {}): Promise<Arrival> {
    return await this.#goTo((workspace) => restoreState(workspace, state, options));
  }

  /** Stops a turn that runs, and ends all processes. What was recorded stays. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#conversation?.close();
      await (await this.#workspace)?.close();
      this.#conversation = undefined;
      this.#workspace = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #goTo(move: (workspace: Workspace) => Promise<Arrival>): Promise<Arrival> {
    if (this.#options.recordTransitions === false) {
      throw new SkeinError("There is no state to go to: this agent works without a record", { kind: "usage" });
    }
    return await this.#inTurn(async () => {
      const workspace = await this.workspace();
      await this.#leave();
      const arrival = await move(workspace);
      await this.#load(workspace, arrival.state.id);
      return arrival;
    });
  }

  async #load(workspace: Workspace, name: string): Promise<void> {
    this.#conversation = await Conversation.load(workspace, name, this.#parts());
    this.#history = await Promise.all(this.#conversation.history().map((transition) => AgentResponse.of(transition)));
  }

  async #leave(): Promise<void> {
    if (this.#turns > 0) {
      throw new SkeinError("A turn of this agent is already running", {
        kind: "workspace_busy",
        target: this.#path,
        hint: "Wait for it, or interrupt it: conversation.interrupt().",
      });
    }
    await this.#conversation?.close();
    this.#conversation = undefined;
    this.#history = [];
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return await done;
  }

  #parts(): ConversationParts {
    return { engine: this.#engine, options: this.#options.options, record: this.#options.recordTransitions };
  }
}
