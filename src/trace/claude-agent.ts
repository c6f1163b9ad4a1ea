import { drain, type SkeinEvent } from "../core/index.ts";
import { ClaudeEngine, type ClaudePrompt, type Engine } from "../engine/index.ts";
import { loadConversations, saveConversation, Workspace, type WorkspaceOptions } from "../workspace/index.ts";
import { AgentResponse } from "./agent-response.ts";
import { Conversation, type ConversationParts, type SendOptions } from "./conversation.ts";

/** How an agent is set up. */
export interface ClaudeAgentOptions {
  /** What runs the turns; the Claude Code CLI by default. */
  readonly engine?: Engine;
  /** Options for every turn. */
  readonly options?: ConversationParts["options"];
  /** Whether each prompt goes on in the same conversation; true by default. */
  readonly autoContinue?: boolean;
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
  #history: AgentResponse[] = [];

  constructor(path: string, options: ClaudeAgentOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#engine = options.engine ?? new ClaudeEngine();
  }

  /** The workspace, opened with the first call that needs it. */
  async workspace(): Promise<Workspace> {
    this.#workspace ??= Workspace.open(this.#path, this.#options.workspace);
    return await this.#workspace;
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
  async send(prompt: string | ClaudePrompt, options: AgentSendOptions = {}): Promise<AgentResponse> {
    return await drain(this.stream(prompt, options));
  }

  /** Sends a prompt and gives the events as they come, then the response. */
  async *stream(
    prompt: string | ClaudePrompt,
    options: AgentSendOptions = {},
  ): AsyncGenerator<SkeinEvent, AgentResponse, void> {
    const { continue: goesOn = this.#options.autoContinue ?? true, ...turn } = options;
    if (!goesOn) await this.newConversation();
    this.#conversation ??= await Conversation.start(await this.workspace(), this.#parts());
    const response = await AgentResponse.of(yield* this.#conversation.stream(prompt, turn));
    this.#history.push(response);
    return response;
  }

  /** The next prompt begins a new conversation, with the files as they are. */
  async newConversation(): Promise<void> {
    await this.#conversation?.close();
    this.#conversation = undefined;
    this.#history = [];
  }

  /** Writes the conversation, with all files and sessions that it went through, into one file. */
  async saveConversation(file: string): Promise<void> {
    const workspace = await this.workspace();
    await saveConversation(workspace, this.#conversation?.id ?? "none", file);
  }

  /** Goes on with a conversation of this workspace, or with one from a file. The directory must stand where it ended. */
  async loadConversation(source: string | { readonly file: string }): Promise<void> {
    const workspace = await this.workspace();
    const [loaded] = typeof source === "string" ? [source] : (await loadConversations(workspace, source.file)).keys();
    await this.newConversation();
    this.#conversation = await Conversation.load(workspace, loaded ?? "", this.#parts());
    this.#history = await Promise.all(this.#conversation.history().map((transition) => AgentResponse.of(transition)));
  }

  /** Ends all processes. What was recorded stays. */
  async close(): Promise<void> {
    await this.#conversation?.close();
    await (await this.#workspace)?.close();
    this.#conversation = undefined;
    this.#workspace = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #parts(): ConversationParts {
    return { engine: this.#engine, options: this.#options.options };
  }
}
