import { groupBy } from "../../core/internal.ts";

/** What a tree of states is ranked by. */
export interface Ranked {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly reward?: number | undefined;
  /** What its turn cost: of equal rewards the cheaper one is better. */
  readonly costUsd?: number | undefined;
  /** The directory is at it, or it has a name: it is never folded away. */
  readonly isNamed: boolean;
}

/** Branches of one state that are told of in one line. */
export interface Fold {
  readonly parentId: string;
  readonly branches: number;
  readonly bestReward?: number | undefined;
}

export interface Ranking {
  readonly roots: readonly string[];
  /** What comes from a state, best reward first, then the cheaper one, then as it was given; without what is folded away. */
  readonly childrenOf: (id: string) => readonly string[];
  readonly foldOf: (id: string) => Fold | undefined;
  /** From a beginning to the best reward; nothing where no state has one. */
  readonly bestPath: readonly string[];
}

/** Branches of one state that are shown; of more the rest is folded away. */
const SHOWN_BRANCHES = 5;

/** Ranks the branches of each state by the best reward that is reached in them, and folds away what a wide search leaves behind. */
export function rankBranches(states: readonly Ranked[], { isFolded }: { readonly isFolded: boolean }): Ranking {
  const known = new Map(states.map((state) => [state.id, state]));
  const isRoot = ({ parentId }: Ranked): boolean => parentId === undefined || !known.has(parentId);
  const given = groupBy(states, (state) => (isRoot(state) ? "" : (state.parentId ?? "")));
  const reached = reachedIn(given);
  const reachedBy = (id: string): Pick<Reached, "best"> => reached.get(id) ?? { best: undefined };
  const byBest = (one: string, other: string): number => compare(reachedBy(one), reachedBy(other));

  const children = new Map<string, readonly string[]>();
  const folds = new Map<string, Fold>();
  for (const [parentId, branches] of given) {
    const ids = branches.map(({ id }) => id).toSorted(byBest);
    const kept = ids.filter((id, place) => place < SHOWN_BRANCHES || reached.get(id)?.isNamed === true);
    const folded = ids.filter((id) => !kept.includes(id));
    const isWide = isFolded && parentId !== "" && folded.length > 1;
    children.set(parentId, isWide ? kept : ids);
    const [best] = folded;
    if (isWide && best !== undefined) {
      folds.set(parentId, { parentId, branches: folded.length, bestReward: reached.get(best)?.best?.reward });
    }
  }
  const childrenOf = (id: string): readonly string[] => children.get(id) ?? [];
  const bestPath: string[] = [];
  for (let [next] = children.get("") ?? []; next !== undefined; [next] = childrenOf(next)) {
    const best = reached.get(next)?.best;
    if (!best) break;
    bestPath.push(next);
    if (best.id === next) break;
  }
  return { roots: given.get("")?.map(({ id }) => id) ?? [], childrenOf, foldOf: (id) => folds.get(id), bestPath };
}

interface Reached {
  /** The best state in all that comes from a state, and what the way to it cost. */
  readonly best: { readonly id: string; readonly reward: number; readonly costUsd: number } | undefined;
  readonly isNamed: boolean;
}

/** What is reached from each state, itself among it. Not by recursion: conversations are deeper than a stack is. */
function reachedIn(children: ReadonlyMap<string, readonly Ranked[]>): ReadonlyMap<string, Reached> {
  const order: Ranked[] = [];
  const waiting = [...(children.get("") ?? [])];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    order.push(next);
    waiting.push(...(children.get(next.id) ?? []));
  }
  const reached = new Map<string, Reached>();
  for (const { id, reward, costUsd = 0, isNamed } of order.toReversed()) {
    const below = (children.get(id) ?? []).flatMap((child) => reached.get(child.id) ?? []);
    const [best] = [
      ...(reward === undefined ? [] : [{ best: { id, reward, costUsd } }]),
      ...below.map((each) => ({ best: each.best && { ...each.best, costUsd: costUsd + each.best.costUsd } })),
    ].toSorted(compare);
    reached.set(id, { best: best?.best, isNamed: isNamed || below.some((each) => each.isNamed) });
  }
  return reached;
}

/** More reward first, then less money. */
function compare({ best: one }: Pick<Reached, "best">, { best: other }: Pick<Reached, "best">): number {
  if (!one || !other) return Number(other !== undefined) - Number(one !== undefined);
  return other.reward - one.reward || one.costUsd - other.costUsd;
}
