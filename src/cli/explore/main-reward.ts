/** The one number that tells how good a state is: the reward of a search, or the only one there is. */
export function mainReward(rewards: Readonly<Record<string, number>>): number | undefined {
  const [only, ...others] = Object.values(rewards);
  return rewards["reward"] ?? (others.length === 0 ? only : undefined);
}
