import { defined, NO_USAGE, parseJson, systemClock, type Clock } from "../core/internal.ts";
import type { Environment, Exploration, ExploreOptions, Reward, StepOutcome } from "../search/internal.ts";

/** A state in memory: a world, and the step that led to it. */
export interface MemoryState<World> {
  readonly world: World;
  /** None for the beginning. */
  readonly step?: StepRecord;
}

/** A step in memory. */
export interface MemoryStep extends StepOutcome {
  readonly prompt: string;
}

/** What a world does when it is asked. Every function has to answer the same to the same. */
export interface MemoryWorld<World> {
  /** Plain JSON: it is the key of its state. */
  readonly start: World;
  /** Where a prompt leads; what it throws is an exploration that rejects. `attempt` counts from 1. */
  step(world: World, prompt: string, attempt: number): World;
  /** What the environment itself gives as the reward, where no judge is asked. */
  reward?(world: World): number;
  /** What each message of the step costs; one message of 1 dollar by default. */
  costs?(world: World, prompt: string): readonly number[];
  /** Whether the turn ends in an error, with the world that it led to all the same. */
  isError?(world: World, prompt: string, attempt: number): boolean;
  /** How long each message takes. */
  delayMs?(world: World, prompt: string): number;
  readonly clock?: Clock;
}

/** An environment without files, agents or processes, for tests of what searches. */
export interface MemoryEnvironment<World> extends Environment<MemoryState<World>, MemoryStep> {
  /** What was explored, in the order in which it began: the key of the state, and the prompt. */
  readonly explored: readonly (readonly [string, string])[];
  /** How many explorations run now. */
  running(): number;
  recall(key: string): Promise<Exploration<MemoryState<World>, MemoryStep> | undefined>;
}

type StepRecord = Pick<MemoryStep, "prompt"> & Omit<MemoryStep["execution"], "usage">;

/** Makes an environment of a world. */
export function createMemoryEnvironment<World>(rules: MemoryWorld<World>): MemoryEnvironment<World> {
  type State = MemoryState<World>;
  let present: State = { world: rules.start };
  let running = 0;
  const explored: (readonly [string, string])[] = [];
  const attempts = new Map<string, number>();
  const keyOf = (state: State): string => JSON.stringify(state);

  async function explore(state: State, prompt: string, options: Options<World>): Promise<Explored<World>> {
    options.signal?.throwIfAborted();
    const key = keyOf(state);
    explored.push([key, prompt]);
    const attempt = (attempts.get(`${key}${prompt}`) ?? 0) + 1;
    attempts.set(`${key}${prompt}`, attempt);
    const world = rules.step(state.world, prompt, attempt);
    const { isComplete, ...paid } = await pay(rules, { world: state.world, prompt, options });
    const isError = !isComplete || (rules.isError?.(state.world, prompt, attempt) ?? false);
    const step = { prompt, ...paid, isError };
    return explorationOf({ world: isComplete ? world : state.world, step }, step);
  }

  return {
    explored,
    running: () => running,
    keyOf,
    checkpoint: async () => present,
    restore: async (state) => void (present = state),
    async exploreFrom(state, prompt, options = {}) {
      running += 1;
      try {
        const exploration = await explore(state, prompt, options);
        return { ...exploration, ...defined({ reward: await judge(rules, exploration, options) }) };
      } finally {
        running -= 1;
      }
    },
    async recall(key) {
      const state = parseJson(key) as State | undefined;
      return state?.step && explorationOf(state, state.step);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type Options<World> = ExploreOptions<MemoryState<World>, MemoryStep>;
type Explored<World> = Exploration<MemoryState<World>, MemoryStep>;

/** Message by message, as an agent does: a limit is noticed after the message that reached it. */
async function pay<World>(
  { costs = () => [1], delayMs = () => 0, clock = systemClock }: MemoryWorld<World>,
  asked: { readonly world: World; readonly prompt: string; readonly options: Options<World> },
) {
  const { world, prompt, options } = asked;
  const { signal, maxCostUsd = Infinity, deadline = Infinity } = options;
  const done = { costUsd: 0, responses: 0, durationMs: 0, isComplete: false };
  for (const price of costs(world, prompt)) {
    const delay = delayMs(world, prompt);
    if (delay > 0) await clock.sleep(delay, signal).catch(() => undefined);
    else await Promise.resolve();
    if (signal?.aborted || clock.now() > deadline || done.costUsd >= maxCostUsd) return done;
    done.costUsd = Math.round((done.costUsd + price) * 1e6) / 1e6;
    done.responses += 1;
    done.durationMs += delay;
  }
  return { ...done, isComplete: true };
}

async function judge<World>(
  { reward }: MemoryWorld<World>,
  exploration: Explored<World>,
  { judge: asked, signal = new AbortController().signal }: Options<World>,
): Promise<Reward | undefined> {
  if (signal.aborted) return undefined;
  if (asked) return await asked(exploration, { signal });
  return reward && { value: reward(exploration.state.world), parts: {} };
}

function explorationOf<World>(state: MemoryState<World>, { prompt, ...execution }: StepRecord): Explored<World> {
  const usage = { ...NO_USAGE, outputTokens: execution.responses };
  return {
    state,
    transition: { prompt, execution: { ...execution, usage }, hasToolErrors: () => execution.isError },
  };
}
