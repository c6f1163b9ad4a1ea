import { groupBy } from "../../core/internal.ts";

/** What a tree of states is ranked by. */
export interface Ranked {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly reward?: number | undefined;
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
  /** What comes from a state, best reward first, then as it was given; without what is folded away. */
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
  const bestOf = (id: string): number => reached.get(id)?.reward ?? Number.NEGATIVE_INFINITY;

  const children = new Map<string, readonly string[]>();
  const folds = new Map<string, Fold>();
  for (const [parentId, branches] of given) {
    const ids = branches.map(({ id }) => id).toSorted((one, other) => compare(bestOf(other), bestOf(one)));
    const kept = ids.filter((id, place) => place < SHOWN_BRANCHES || reached.get(id)?.isNamed === true);
    const folded = ids.filter((id) => !kept.includes(id));
    const isWide = isFolded && parentId !== "" && folded.length > 1;
    children.set(parentId, isWide ? kept : ids);
    const [best] = folded;
    if (isWide && best !== undefined) {
      folds.set(parentId, { parentId, branches: folded.length, bestReward: reached.get(best)?.reward });
    }
  }
  const childrenOf = (id: string): readonly string[] => children.get(id) ?? [];
  const [first] = (children.get("") ?? []).toSorted((one, other) => compare(bestOf(other), bestOf(one)));
  const bestPath: string[] = [];
  for (let next = first; next !== undefined && bestOf(next) > Number.NEGATIVE_INFINITY;) {
    bestPath.push(next);
    const most = bestOf(next);
    if (known.get(next)?.reward === most) break;
    next = childrenOf(next).find((id) => bestOf(id) === most);
  }
  return { roots: given.get("")?.map(({ id }) => id) ?? [], childrenOf, foldOf: (id) => folds.get(id), bestPath };
}

interface Reached {
  readonly reward: number | undefined;
  readonly isNamed: boolean;
}

/** The best reward in all that comes from a state, itself among it. Not by recursion: conversations are deeper than a stack is. */
function reachedIn(children: ReadonlyMap<string, readonly Ranked[]>): ReadonlyMap<string, Reached> {
  const order: Ranked[] = [];
  const waiting = [...(children.get("") ?? [])];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    order.push(next);
    waiting.push(...(children.get(next.id) ?? []));
  }
  const reached = new Map<string, Reached>();
  for (const { id, reward, isNamed } of order.toReversed()) {
    const below = (children.get(id) ?? []).flatMap((child) => reached.get(child.id) ?? []);
    const rewards = [reward, ...below.map((each) => each.reward)].filter((each) => each !== undefined);
    reached.set(id, {
      reward: rewards.length === 0 ? undefined : rewards.reduce((most, each) => Math.max(most, each)),
      isNamed: isNamed || below.some((each) => each.isNamed),
    });
  }
  return reached;
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
