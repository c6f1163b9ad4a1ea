import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { type ControlRequest, createId, defined, isoTime, openEventJournal, SkeinError } from "../core/internal.ts";
import {
  bundledCliPath,
  ClaudeEngine,
  createSecretRedactor,
  engineSettingsKey,
  parseTurnOptions,
  type Engine,
  type TurnOptions,
} from "../engine/internal.ts";
import {
  addNote,
  Conversation,
  readLastTransition,
  readStateFile,
  RECORDING_MS,
  recordPresent,
  restoreState,
  takeDirectory,
  TraceIndex,
  undoLastTurn,
  type Arrival,
  type ConversationParts,
  type SendOptions,
  type State,
  type Transition,
  type UndoOptions,
} from "../trace/internal.ts";
import {
  findIdleGlobs,
  findNotCarried,
  Workspace,
  type NotCarried,
  type WorkspaceOptions,
} from "../workspace/internal.ts";
import type { Environment, Exploration, ExploreOptions, SearchLog } from "./environment.ts";
import { createSlots } from "./slots.ts";

/** How an environment is set up. */
export interface ClaudeEnvironmentOptions {
  /** What runs the turns; the Claude Code CLI by default. */
  readonly engine?: Engine;
  /** Options for every turn. */
  readonly options?: ConversationParts["options"];
  /** How the workspace is opened. */
  readonly workspace?: WorkspaceOptions;
  /**
   * Whether a turn that was recorded from the same state with the same prompt and settings answers again; "never" by default. The settings are
   * the environment's, the engine's own, the variables that choose the model, and the CLI's version.
   */
  readonly reuse?: "always" | "never";
  /** Recorded with every turn. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What holds for one exploration: limits and a judge, and what can be said for its turn. */
export interface ClaudeExploreOptions
  extends ExploreOptions<State, Transition>, Omit<TurnOptions, keyof ExploreOptions<State, Transition>> {}

/** Agents in a workspace as an environment: states to come back to, and turns from any of them, each on a branch of its own. */
export class ClaudeEnvironment implements Environment<State, Transition> {
  readonly workspace: Workspace;
  readonly #parts: ConversationParts;
  readonly #setup: ClaudeEnvironmentOptions;
  #conversation: Promise<Conversation> | undefined;

  private constructor(workspace: Workspace, setup: ClaudeEnvironmentOptions) {
    const { engine = new ClaudeEngine(), options, metadata } = setup;
    this.workspace = workspace;
    this.#parts = { engine, options, metadata };
    this.#setup = setup;
  }

  /** Opens a directory. */
  static async open(path: string, setup: ClaudeEnvironmentOptions = {}): Promise<ClaudeEnvironment> {
    const branches = { programs: cliFolders(), ...setup.workspace?.branches };
    const workspace = { ...setup.workspace, branches };
    return new ClaudeEnvironment(await Workspace.open(path, workspace), { ...setup, workspace });
  }

  /** Records the files as they are, with the conversation at the head, and gives the state a name where one is told. */
  async checkpoint(name?: string): Promise<State> {
    // Two searches may begin in one directory at once: each has it for a moment.
    await using _ = await takeDirectory(this.workspace, { waitMs: RECORDING_MS });
    const state = await recordPresent(this.workspace);
    if (name !== undefined) await this.workspace.states.setCheckpoint(name, state.id, { replace: true });
    return state;
  }

  /** What lies in the workspace and agents on branches do not find: no state holds it, and `branches` does not carry it. */
  async notCarried(): Promise<readonly NotCarried[]> {
    return await findNotCarried(this.workspace, this.#setup.workspace);
  }

  /** Which globs of `branches.alsoCarry` name nothing that agents on branches would lack. */
  async idleGlobs(): Promise<readonly string[]> {
    return await findIdleGlobs(this.workspace, this.#setup.workspace);
  }

  /** Runs a turn in the workspace itself, from its head. */
  async step(prompt: string, options: SendOptions = {}): Promise<Exploration<State, Transition>> {
    parseTurnOptions(options, ["metadata"]);
    const conversation = await this.#here();
    return await this.#reached(await conversation.send(prompt, options));
  }

  async exploreFrom(
    state: State,
    prompt: string,
    options: ClaudeExploreOptions = {},
  ): Promise<Exploration<State, Transition>> {
    parseTurnOptions(options, ["judge", "onEvent", "searchId"]);
    const { judge, signal, onEvent, searchId, ...turn } = options;
    signal?.throwIfAborted();
    const reuseKey = this.#reuseKey(prompt, turn);
    const known = this.#setup.reuse === "always" ? await this.#recorded(state, reuseKey) : undefined;
    if (known) return { ...known, isReused: true };
    await using branch = await this.workspace.branch(state.id);
    await using origin = await Conversation.load(branch, state.id, this.#parts);
    await using conversation = await origin.fork();
    const metadata = { reuseKey, ...defined({ searchId }) };
    const transition = await runLimited(conversation, prompt, {
      ...turn,
      ...defined({ signal, onEvent }),
      metadata,
    });
    const reached = await this.#reached(transition);
    if (!judge || transition.execution.outcome === "cancelled") return reached;
    const reward = await judge(reached, {
      signal: signal ?? new AbortController().signal,
      directory: branch.view,
      enter: (argv) => branch.enter(argv),
    });
    if (reward === undefined) return reached;
    // The whole is noted among its parts, under a name of its own.
    await addNote(this.workspace, reached.state.id, { rewards: { ...reward.parts, [TOTAL]: reward.value } });
    return { ...reached, reward };
  }

  /** Explores several prompts from one state, `concurrency` (1 by default) at once, and gives each result as it comes. */
  async *explore(
    state: State,
    prompts: readonly string[],
    { concurrency = 1, ...options }: ClaudeExploreOptions & { readonly concurrency?: number } = {},
  ): AsyncGenerator<Exploration<State, Transition> & { readonly prompt: string }, void, void> {
    const stop = new AbortController();
    const signal = either(options.signal, stop.signal);
    const slots = createSlots(concurrency);
    const running = new Map(
      prompts.map((prompt, index) => {
        const run = async () => {
          using _ = await slots.take();
          signal.throwIfAborted();
          return { index, prompt, ...(await this.exploreFrom(state, prompt, { ...options, signal })) };
        };
        return [index, run()] as const;
      }),
    );
    try {
      while (running.size > 0) {
        const { index, ...done } = await Promise.race(running.values());
        running.delete(index);
        yield done;
      }
    } finally {
      stop.abort(new SkeinError("The exploration was abandoned", { kind: "cancelled" }));
      await Promise.allSettled(running.values());
    }
  }

  /**
   * Makes a state the present one: files, the user's git state, and the conversation that the next step goes on with. It may be named: by
   * its id, or by a checkpoint of this or an earlier process. What is there is recorded first: the `wayBack` of what this gives.
   */
  // Two signatures: searches infer their state from the last.
  async restore(name: string): Promise<Arrival>;
  async restore(state: State): Promise<Arrival>;
  async restore(state: State | string): Promise<Arrival> {
    await this.#endConversation();
    return await restoreState(this.workspace, typeof state === "string" ? state : state.id);
  }

  /** Takes back the last turn that was run in the workspace itself, and keeps what was done since. */
  async undo({ onConflict }: Pick<UndoOptions, "onConflict"> = {}): Promise<Arrival> {
    await this.#endConversation();
    return await undoLastTurn(this.workspace, { onConflict });
  }

  /** A state by any of its names: to explore from a checkpoint that an earlier process made, for one. */
  async state(name: string): Promise<State> {
    return await readStateFile(this.workspace.states, await this.workspace.states.resolve(name));
  }

  /** Brings a state that was reached on a branch into the workspace; the next step remembers what happened there. */
  async adopt(state: State): Promise<Arrival> {
    return await this.restore(state);
  }

  keyOf(state: State): string {
    return state.id;
  }

  /** The events of a search lie in Skein's data folder, as those of its turns do, and hold no secret of this process. */
  async tellOf(strategy: string, stop: () => void): Promise<SearchLog> {
    const { home, origin, path, clock } = this.workspace;
    const about = { run: createId(clock), kind: "search" as const, workspace: origin, directory: path, strategy };
    const onControl = ({ type, target }: ControlRequest): void => {
      if (type !== "interrupt") throw new SkeinError("A search can only be interrupted", { kind: "usage", target });
      stop();
    };
    const journal = await openEventJournal(resolve(home, "../.."), about, { clock, onControl });
    const secrets = createSecretRedactor([process.env, this.#parts.options?.env ?? {}]);
    return {
      run: about.run,
      add: (event) => journal.add({ timestamp: isoTime(clock.now()), ...secrets.value(event) }),
      [Symbol.dispose]: () => journal[Symbol.dispose](),
    };
  }

  /**
   * A state by its key or any of its names, of this or an earlier process, with the turn that led to it: for a checkpoint of files that were
   * changed by hand, the last turn before. Undefined where there is no such state, or no turn led to it.
   */
  async recall(key: string): Promise<Exploration<State, Transition> | undefined> {
    const state = await this.#known(key);
    const transition = state && (await readLastTransition(this.workspace, state));
    if (!transition) return undefined;
    const { [TOTAL]: value, ...parts } = transition.rewards;
    return { state, transition, ...(value === undefined ? {} : { reward: { value, parts } }) };
  }

  async #known(name: string): Promise<State | undefined> {
    try {
      // A whole id is read at once: finding out what else a name may mean takes longer.
      const isId = /^[0-9a-f]{40}$/u.test(name);
      return isId ? await readStateFile(this.workspace.states, name) : await this.state(name);
    } catch (error) {
      if (error instanceof SkeinError && error.kind === "state_not_found") return undefined;
      throw error;
    }
  }

  /** Ends all processes. What was recorded stays. */
  async close(): Promise<void> {
    await this.#endConversation();
    await this.workspace.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #endConversation(): Promise<void> {
    const opening = this.#conversation;
    this.#conversation = undefined;
    await (await opening?.catch(() => undefined))?.close();
  }

  /** The conversation at the workspace's head. Two first steps at once share it: the second is told that a turn runs. */
  async #here(): Promise<Conversation> {
    const open = async (): Promise<Conversation> =>
      (await this.workspace.states.head())
        ? await Conversation.load(this.workspace, "@", this.#parts)
        : await Conversation.start(this.workspace, this.#parts);
    const opening = (this.#conversation ??= open());
    try {
      return await opening;
    } catch (error) {
      if (this.#conversation === opening) this.#conversation = undefined;
      throw error;
    }
  }

  async #reached(transition: Transition): Promise<Exploration<State, Transition>> {
    return { state: await readStateFile(this.workspace.states, transition.after.stateId ?? ""), transition };
  }

  /** What a turn depends on beside the state: the prompt, and all that the engine runs it with; no limit decides what is answered. */
  #reuseKey(prompt: string, options: Omit<ClaudeExploreOptions, "judge" | "signal" | "onEvent" | "searchId">): string {
    const { maxTokens: _tokens, maxCostUsd: _cost, deadline: _deadline, ...turn } = options;
    const settings = engineSettingsKey(this.#parts.engine, { ...this.#parts.options, ...turn });
    return createHash("sha256")
      .update(JSON.stringify([prompt, settings]))
      .digest("hex");
  }

  async #recorded(state: State, reuseKey: string): Promise<Exploration<State, Transition> | undefined> {
    await using index = await TraceIndex.open(this.workspace);
    for (const { id } of await index.query({ parentId: state.id, kind: "turn", outcome: "completed" })) {
      const found = await this.recall(id);
      if (found?.transition.metadata["reuseKey"] === reuseKey) return found;
    }
    return undefined;
  }
}

/** Where the CLI lies, which may be in the workspace; not where another one is used because it was not installed. */
function cliFolders(): readonly string[] {
  try {
    return [dirname(bundledCliPath())];
  } catch {
    return [];
  }
}

async function runLimited(
  conversation: Conversation,
  prompt: string,
  { onEvent, ...options }: SendOptions & Pick<ClaudeExploreOptions, "onEvent">,
): Promise<Transition> {
  const stop = new AbortController();
  using _ = conversation.workspace.watchQuota((error) => stop.abort(error));
  const events = conversation.stream(prompt, { ...options, signal: either(options.signal, stop.signal) });
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
    onEvent?.(value);
  }
}

function either(given: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  return given ? AbortSignal.any([given, own]) : own;
}

/** The name under which a reward as a whole is noted on its state. */
const TOTAL = "reward";
