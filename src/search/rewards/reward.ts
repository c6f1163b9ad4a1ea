import { SkeinError, emptyRecord } from "../../core/internal.ts";
import type { Exploration, Reward, RewardContext } from "../environment.ts";

/** Says how good an exploration is: a number, or a number with its parts. */
export type RewardFunction<State = unknown, Step = unknown> = (
  exploration: Exploration<State, Step>,
  context: RewardContext,
) => number | Reward | Promise<number | Reward>;

/** What a reward function gave, as a reward. A value that cannot be compared is refused. */
export function toReward(given: number | Reward): Reward {
  const reward = typeof given === "number" ? { value: given, parts: {} } : given;
  if (Number.isFinite(reward.value)) return reward;
  throw new SkeinError(`A reward must be a finite number, not ${reward.value}`, { kind: "usage" });
}

/**
 * Makes one reward of several: the weighted sum, where a weight is less than 0 for what should be little. The parts keep their own
 * values under their names. They are asked one after another, in the order given: two commands in one directory could disturb each other.
 */
export function combineRewards<State, Step>(
  rewards: Readonly<Record<string, { readonly weight: number; readonly reward: RewardFunction<State, Step> }>>,
): RewardFunction<State, Step> {
  return async (exploration, context) => {
    let value = 0;
    const parts = emptyRecord<number>();
    const notes = emptyRecord<string>();
    for (const [name, { weight, reward }] of Object.entries(rewards)) {
      context.signal.throwIfAborted();
      const part = toReward(await reward(exploration, context));
      value += weight * part.value;
      parts[name] = part.value;
      Object.assign(parts, prefixed(name, part.parts));
      Object.assign(notes, prefixed(name, part.notes ?? {}));
    }
    return { value, parts, ...(Object.keys(notes).length > 0 ? { notes } : {}) };
  };
}

function prefixed<Value>(name: string, record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [`${name}.${key}`, value]));
}
