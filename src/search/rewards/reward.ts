import { SkeinError } from "../../core/index.ts";
import type { Exploration } from "../environment.ts";

/** A number given to a transition, and what it is made of. More is better. */
export interface Reward {
  readonly value: number;
  /** The numbers that it was made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
  /** What is worth reading about it, by name: the end of a command's output, why a report could not be read. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** What a reward function works with beside the exploration. */
export interface RewardContext {
  /** Aborted when the search is not interested any more. */
  readonly signal: AbortSignal;
  /** The branch's directory, while it is there; none where states have no files. */
  readonly directory?: string;
  /** Gives the command that runs another inside the branch, where its directory cannot be seen from outside. */
  readonly enter?: (argv: readonly string[]) => readonly string[];
}

/** Says how good an exploration is: a number, or a number with its parts. */
export type RewardFunction<State = unknown, Step = unknown> = (
  exploration: Exploration<State, Step>,
  context: RewardContext,
) => number | Reward | Promise<number | Reward>;

/** What an environment asks for the reward. It does not throw: search keeps the failure, and gives undefined. */
export type Judge<State, Step> = (
  exploration: Exploration<State, Step>,
  context: RewardContext,
) => Promise<Reward | undefined>;

/** What a reward function gave, as a reward. A value that cannot be compared is refused. */
export function toReward(given: number | Reward): Reward {
  const reward = typeof given === "number" ? { value: given, parts: {} } : given;
  if (Number.isFinite(reward.value)) return reward;
  throw new SkeinError(`A reward must be a finite number, not ${reward.value}`, { kind: "usage" });
}
