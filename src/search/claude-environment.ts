import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { drain, SkeinError } from "../core/index.ts";
import {
  bundledCliPath,
  ClaudeEngine,
  engineSettingsKey,
  parseTurnOptions,
  type Engine,
  type TurnOptions,
} from "../engine/index.ts";
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
} from "../trace/index.ts";
import {
  findIdleGlobs,
  findNotCarried,
  Workspace,
  type NotCarried,
  type WorkspaceOptions,
} from "../workspace/index.ts";
import type { Environment, Exploration, ExploreOptions, Reward } from "./environment.ts";
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
}

/** What holds for one exploration: limits and a judge, and what can be said for its turn. */
export interface ClaudeExploreOptions
  extends ExploreOptions<State, Transition>, Omit<TurnOptions, keyof ExploreOptions<State, Transition>> {}

/** What an exploration takes besides the options of a turn. */
const EXPLORE_OPTIONS: readonly string[] = ["judge"];

/** What does not decide what is answered. */
const LIMITS: readonly string[] = [...EXPLORE_OPTIONS, "signal", "maxTokens", "maxCostUsd", "deadline"];

/** Several explorations from one state. */
export interface ExploreAllOptions extends ClaudeExploreOptions {
  /** How many run at once; 1 by default. */
  readonly concurrency?: number;
}

/** Agents in a workspace as an environment: states to come back to, and turns from any of them, each on a branch of its own. */
export class ClaudeEnvironment implements Environment<State, Transition> {
  readonly workspace: Workspace;
  readonly #parts: ConversationParts;
  readonly #reuse: "always" | "never";
  readonly #opened: WorkspaceOptions;
  #conversation: Promise<Conversation> | undefined;

  private constructor(
    workspace: Workspace,
    parts: ConversationParts,
    { reuse, opened }: { readonly reuse: "always" | "never"; readonly opened: WorkspaceOptions },
  ) {
    this.workspace = workspace;
    this.#opened = opened;
    this.#parts = parts;
    this.#reuse = reuse;
  }

  /** Opens a directory. */
  static async open(path: string, setup: ClaudeEnvironmentOptions = {}): Promise<ClaudeEnvironment> {
    const { engine = new ClaudeEngine(), options, workspace, reuse = "never" } = setup;
    const branches = { programs: cliFolders(), ...workspace?.branches };
    const opened = { ...workspace, branches };
    return new ClaudeEnvironment(await Workspace.open(path, opened), { engine, options }, { reuse, opened });
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
    return await findNotCarried(this.workspace, this.#opened);
  }

  /** Which globs of `branches.alsoCarry` name nothing that agents on branches would lack. */
  async idleGlobs(): Promise<readonly string[]> {
    return await findIdleGlobs(this.workspace, this.#opened);
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
    parseTurnOptions(options, EXPLORE_OPTIONS);
    options.signal?.throwIfAborted();
    const key = this.#reuseKey(prompt, omit(options, LIMITS));
    const known = this.#reuse === "always" ? await this.#recorded(state, key) : undefined;
    if (known) return { ...known, isReused: true };
    await using branch = await this.workspace.branch(state.id);
    await using origin = await Conversation.load(branch, state.id, this.#parts);
    await using conversation = await origin.fork();
    const transition = await runLimited(conversation, prompt, { ...options, metadata: { reuseKey: key } });
    const reached = await this.#reached(transition);
    if (!options.judge || transition.execution.outcome === "cancelled") return reached;
    const signal = options.signal ?? new AbortController().signal;
    const enter = (argv: readonly string[]): readonly string[] => branch.enter(argv);
    const reward = await options.judge(reached, { signal, directory: branch.view, enter });
    if (reward === undefined) return reached;
    await addNote(this.workspace, reached.state.id, { rewards: toRewards(reward) });
    return { ...reached, reward };
  }

  /** Explores several prompts from one state, and gives each result as it comes. */
  async *explore(
    state: State,
    prompts: readonly string[],
    { concurrency = 1, ...options }: ExploreAllOptions = {},
  ): AsyncGenerator<Exploration<State, Transition> & { readonly prompt: string }, void, void> {
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
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

  /**
   * A state by its key or any of its names, of this or an earlier process, with the turn that led to it: for a checkpoint of files that were
   * changed by hand, the last turn before. Undefined where there is no such state, or no turn led to it.
   */
  async recall(key: string): Promise<Exploration<State, Transition> | undefined> {
    const state = await this.#known(key);
    const transition = state && (await readLastTransition(this.workspace, state));
    if (!transition) return undefined;
    const reward = toReward(transition.rewards);
    return { state, transition, ...(reward ? { reward } : {}) };
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

  /** What a turn depends on beside the state: the prompt, and all that the engine runs it with. */
  #reuseKey(prompt: string, turn: TurnOptions): string {
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

function omit(options: ClaudeExploreOptions, names: readonly string[]): TurnOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

async function runLimited(
  conversation: Conversation,
  prompt: string,
  { metadata, ...options }: ClaudeExploreOptions & Required<Pick<SendOptions, "metadata">>,
): Promise<Transition> {
  const stop = new AbortController();
  const { signal } = options;
  using _ = conversation.workspace.watchQuota((error) => stop.abort(error));
  const events = conversation.stream(prompt, {
    ...omit(options, EXPLORE_OPTIONS),
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    metadata,
  });
  return await drain(events);
}

/** A reward as the numbers that are noted on its state: the whole under a name of its own. */
function toRewards({ value, parts }: Reward): Readonly<Record<string, number>> {
  return { ...parts, [TOTAL]: value };
}

function toReward({ [TOTAL]: value, ...parts }: Readonly<Record<string, number>>): Reward | undefined {
  return value === undefined ? undefined : { value, parts };
}

const TOTAL = "reward";
