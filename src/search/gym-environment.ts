import { defined, SkeinError, systemClock, type Clock } from "../core/index.ts";
import type { Environment, Exploration, StepOutcome } from "./environment.ts";
import { toReward, type RewardFunction } from "./rewards/reward.ts";

/** How an environment becomes one of Gymnasium's shape. */
export interface GymOptions<State, Step, Seen = Observation> {
  /** How good a step was; what the environment itself says, else 0, where it is left out. */
  readonly reward?: RewardFunction<State, Step>;
  /** Whether the task is done: the episode is then terminated. */
  readonly isDone?: (exploration: Exploration<State, Step>) => boolean | Promise<boolean>;
  /** What an agent sees of a step, as plain data; the answer, the changed files and the state by default. */
  readonly observe?: (exploration: Pick<Exploration<State, Step>, "state">, transition?: Step) => Seen | Promise<Seen>;
  /** What one episode may take: the step that reaches a limit is the last, and the episode is truncated. */
  readonly limits?: EpisodeLimits;
  readonly clock?: Clock;
}

/** What one episode may take. What is left out is not limited. */
export interface EpisodeLimits {
  readonly maxSteps?: number;
  readonly maxCostUsd?: number;
  readonly maxDurationMs?: number;
}

/** What is known beside the observation. */
export interface GymInfo {
  /** The key of the state that the episode is at. */
  readonly stateKey: string;
  readonly steps: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  /** What `reset` was given; none where it was given none. */
  readonly seed?: number;
  /** What the reward of the last step was made of. */
  readonly rewardParts?: Readonly<Record<string, number>>;
  /** Whether the last step ended in an error. */
  readonly isError?: boolean;
}

/** An episode at a moment, to be come back to. */
export interface GymSnapshot<State> {
  readonly state: State;
  readonly steps: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  readonly hasEnded: boolean;
  readonly seed?: number;
}

/** What a step gives: the observation, the reward, whether it is done, whether a limit ended it, and what else is known. */
export type GymStep<Seen> = readonly [
  observation: Seen,
  reward: number,
  terminated: boolean,
  truncated: boolean,
  info: GymInfo,
];

/** Where an episode begins. */
export interface ResetOptions<State> {
  /** Told again in the info, for whoever chooses actions by it. */
  readonly seed?: number;
  /** `from` is the state to begin at; the present one of the environment by default. */
  readonly options?: { readonly from?: State };
}

/**
 * An environment in the shape of Gymnasium: `reset`, `step`, `close`. Every step is an exploration of its own, so the present
 * state of the environment is left alone, and `snapshot` and `restore`, which Gymnasium lacks, cost nothing.
 */
export class GymEnvironment<State, Step extends StepOutcome, Seen = Observation> implements AsyncDisposable {
  readonly #environment: Environment<State, Step>;
  readonly #options: GymOptions<State, Step, Seen>;
  readonly #clock: Clock;
  #episode: GymSnapshot<State> | undefined;
  #sinceMs = 0;

  constructor(environment: Environment<State, Step>, options: GymOptions<State, Step, Seen> = {}) {
    this.#environment = environment;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Begins an episode. */
  async reset({ seed, options = {} }: ResetOptions<State> = {}): Promise<readonly [observation: Seen, info: GymInfo]> {
    const state = options.from ?? (await this.#environment.checkpoint());
    this.restore({ state, steps: 0, costUsd: 0, elapsedMs: 0, hasEnded: false, ...defined({ seed }) });
    return [await this.#observe(state), this.#info(this.snapshot())];
  }

  /** Runs a prompt from where the episode is. */
  async step(action: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<GymStep<Seen>> {
    const before = this.snapshot();
    if (before.hasEnded) throw new SkeinError("The episode has ended: call reset()", { kind: "usage" });
    const { reward: judge, isDone } = this.#options;
    const explored = await this.#environment.exploreFrom(before.state, action, {
      ...this.#allowance(before),
      ...(signal ? { signal } : {}),
      ...(judge ? { judge: async (exploration, context) => toReward(await judge(exploration, context)) } : {}),
    });
    const { state, transition, reward } = explored;
    const isTerminated = (await isDone?.(explored)) ?? false;
    const costUsd = before.costUsd + transition.execution.costUsd;
    const reached = { ...this.snapshot(), state, steps: before.steps + 1, costUsd };
    const isTruncated = !isTerminated && this.#isOverLimit(reached);
    this.restore({ ...reached, hasEnded: isTerminated || isTruncated });
    const { isError } = transition.execution;
    const info = { ...this.#info(reached), isError, ...(reward ? { rewardParts: reward.parts } : {}) };
    return [await this.#observe(state, transition), reward?.value ?? 0, isTerminated, isTruncated, info];
  }

  /** The episode as it is now; plain data but for the state. */
  snapshot(): GymSnapshot<State> {
    if (!this.#episode) throw new SkeinError("There is no episode yet: call reset()", { kind: "usage" });
    return { ...this.#episode, elapsedMs: this.#clock.now() - this.#sinceMs };
  }

  /** Goes back to a snapshot: the next step is run from there, with what was used up by then. */
  restore(snapshot: GymSnapshot<State>): void {
    this.#episode = snapshot;
    this.#sinceMs = this.#clock.now() - snapshot.elapsedMs;
  }

  /** Ends the environment beneath. */
  async close(): Promise<void> {
    this.#episode = undefined;
    await this.#environment[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #observe(state: State, transition?: Step): Promise<Seen> {
    const { observe } = this.#options;
    if (observe) return await observe({ state }, transition);
    // Without `observe` what is seen is an `Observation`: the default of the type says the same.
    return (await observeStep(this.#environment.keyOf(state), transition)) as Seen;
  }

  #info({ state, steps, costUsd, elapsedMs, seed }: GymSnapshot<State>): GymInfo {
    const key = this.#environment.keyOf(state);
    return { stateKey: key, steps, costUsd, elapsedMs, ...defined({ seed }) };
  }

  /** What is left for the next step. */
  #allowance({ costUsd }: GymSnapshot<State>): { readonly maxCostUsd?: number; readonly deadline?: number } {
    const { maxCostUsd, maxDurationMs } = this.#options.limits ?? {};
    return {
      ...(maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd - costUsd }),
      ...(maxDurationMs === undefined ? {} : { deadline: this.#sinceMs + maxDurationMs }),
    };
  }

  #isOverLimit({ steps, costUsd, elapsedMs }: GymSnapshot<State>): boolean {
    const { maxSteps, maxCostUsd, maxDurationMs } = this.#options.limits ?? {};
    const none = Number.POSITIVE_INFINITY;
    return steps >= (maxSteps ?? none) || costUsd >= (maxCostUsd ?? none) || elapsedMs >= (maxDurationMs ?? none);
  }
}

/** What an agent sees of a step, as plain data. */
export interface Observation {
  /** The answer; empty before the first step. */
  readonly text: string;
  /** What became of the files, by path. */
  readonly filesChanged: readonly { readonly type: string; readonly path: string }[];
  /** The key of the state. */
  readonly stateId: string;
}

/** A step of which more is known than search asks for. A `Transition` of the trace is one. */
interface TellingStep {
  readonly execution: StepOutcome["execution"] & { readonly response?: string };
  filesChanged?(): Promise<readonly { readonly type: string; readonly path: string }[]>;
}

/** Looks at a step; of one that tells neither an answer nor files, only the state is seen. */
async function observeStep(stateId: string, step?: StepOutcome): Promise<Observation> {
  const telling: TellingStep | undefined = step;
  const changes = (await telling?.filesChanged?.()) ?? [];
  return {
    text: telling?.execution.response ?? "",
    filesChanged: changes.map(({ type, path }) => ({ type, path })),
    stateId,
  };
}
