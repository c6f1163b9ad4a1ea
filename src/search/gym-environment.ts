import { defined, SkeinError, systemClock, type Clock } from "../core/internal.ts";
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
  readonly limits?: { readonly maxSteps?: number; readonly maxCostUsd?: number; readonly maxDurationMs?: number };
  readonly clock?: Clock;
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
export interface GymSnapshot<State> extends Pick<GymInfo, "steps" | "costUsd" | "elapsedMs" | "seed"> {
  readonly state: State;
  readonly hasEnded: boolean;
}

/** What a step gives: the observation, the reward, whether it is done, whether a limit ended it, and what else is known. */
export type GymStep<Seen> = readonly [
  observation: Seen,
  reward: number,
  terminated: boolean,
  truncated: boolean,
  info: GymInfo,
];

type ResetOptions<State> = { readonly seed?: number; readonly options?: { readonly from?: State } };

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

  /**
   * Begins an episode, at the state `from` or the present one of the environment. The seed is told again in the info, for whoever chooses
   * actions by it.
   */
  async reset({ seed, options }: ResetOptions<State> = {}): Promise<readonly [observation: Seen, info: GymInfo]> {
    const state = options?.from ?? (await this.#environment.checkpoint());
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
      ...defined({ signal }),
      ...(judge ? { judge: async (exploration, context) => toReward(await judge(exploration, context)) } : {}),
    });
    const { state, transition, reward } = explored;
    const { isError, costUsd } = transition.execution;
    const isTerminated = (await isDone?.(explored)) ?? false;
    const reached = { ...this.snapshot(), state, steps: before.steps + 1, costUsd: before.costUsd + costUsd };
    const isTruncated = !isTerminated && this.#isOverLimit(reached);
    this.restore({ ...reached, hasEnded: isTerminated || isTruncated });
    const info = { ...this.#info(reached), isError, ...defined({ rewardParts: reward?.parts }) };
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
    if (this.#options.observe) return await this.#options.observe({ state }, transition);
    // Without `observe` what is seen is an `Observation`: the default of the type says the same.
    return (await observeStep(this.#environment.keyOf(state), transition)) as Seen;
  }

  #info({ state, steps, costUsd, elapsedMs, seed }: GymSnapshot<State>): GymInfo {
    return { stateKey: this.#environment.keyOf(state), steps, costUsd, elapsedMs, ...defined({ seed }) };
  }

  #allowance({ costUsd }: GymSnapshot<State>): { readonly maxCostUsd?: number; readonly deadline?: number } {
    const { maxCostUsd, maxDurationMs } = this.#options.limits ?? {};
    return {
      ...(maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd - costUsd }),
      ...(maxDurationMs === undefined ? {} : { deadline: this.#sinceMs + maxDurationMs }),
    };
  }

  #isOverLimit({ steps, costUsd, elapsedMs }: GymSnapshot<State>): boolean {
    const { maxSteps = Infinity, maxCostUsd = Infinity, maxDurationMs = Infinity } = this.#options.limits ?? {};
    return steps >= maxSteps || costUsd >= maxCostUsd || elapsedMs >= maxDurationMs;
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

interface TellingStep {
  readonly execution: StepOutcome["execution"] & { readonly response?: string };
  filesChanged?(): Promise<Observation["filesChanged"]>;
}

/** Looks at a step, which may tell more than search asks for, as a `Transition` of the trace does; else only the state is seen. */
async function observeStep(stateId: string, step?: StepOutcome): Promise<Observation> {
  const telling: TellingStep | undefined = step;
  const changes = (await telling?.filesChanged?.()) ?? [];
  return {
    text: telling?.execution.response ?? "",
    filesChanged: changes.map(({ type, path }) => ({ type, path })),
    stateId,
  };
}
