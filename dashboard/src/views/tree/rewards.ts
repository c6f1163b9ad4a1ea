import type { Skein, SkeinNode, TreeItem } from "./skein.ts";

/** The names of rewards in a tree, the most given first. */
export function rewardNames(items: readonly TreeItem[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { rewards } of items) {
    for (const name of Object.keys(rewards)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1))
    .map(([name]) => name);
}

/** From where to where the scale of colours goes. */
export interface RewardRange {
  readonly lowest: number;
  readonly highest: number;
}

/** From 0 to 1, as most rewards are; where some are not, from the lowest to the highest. */
export function rewardRange(items: readonly TreeItem[], name: string | undefined): RewardRange {
  let [lowest, highest] = [0, 1];
  for (const item of items) {
    const reward = rewardOf(item, name);
    if (reward === undefined) continue;
    lowest = Math.min(lowest, reward);
    highest = Math.max(highest, reward);
  }
  return { lowest, highest };
}

export function rewardOf(item: TreeItem | undefined, name: string | undefined): number | undefined {
  if (item === undefined || name === undefined || !Object.hasOwn(item.rewards, name)) return undefined;
  return item.rewards[name];
}

/** The node with the highest reward, of equals the first, and the path that leads to it. */
export interface BestPath {
  readonly best: SkeinNode | undefined;
  readonly path: ReadonlySet<string>;
}

export function findBestPath({ nodes }: Skein, name: string | undefined): BestPath {
  let best: SkeinNode | undefined;
  let highest = -Infinity;
  for (const node of nodes) {
    const reward = rewardOf(node.item, name);
    if (reward === undefined || reward <= highest) continue;
    best = node;
    highest = reward;
  }
  const path = new Set<string>();
  for (let node = best; node; node = node.parent) path.add(node.id);
  return { best, path };
}
