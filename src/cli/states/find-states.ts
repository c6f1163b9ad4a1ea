import type { IndexedState, StateQuery, TransitionRecorder } from "../../trace/index.ts";

const PAGE = 200;

/** Which states are listed. */
export interface WantedStates {
  readonly query: StateQuery;
  readonly limit: number;
  /** Of those that fit the query, which are listed. */
  readonly isWanted: (state: IndexedState) => boolean;
}

/** The newest states that are wanted, at most as many as the limit says; the index is read page by page. */
export async function findStates(recorder: TransitionRecorder, wanted: WantedStates): Promise<readonly IndexedState[]> {
  const found: IndexedState[] = [];
  for (let offset = 0; found.length < wanted.limit; offset += PAGE) {
    const page = await recorder.query({ ...wanted.query, limit: PAGE, offset });
    found.push(...page.filter(wanted.isWanted));
    if (page.length < PAGE) break;
  }
  return found.slice(0, wanted.limit);
}

/** The states that are drawn, each with the nearest one before it that is drawn too: what lies between is passed over. */
export function drawnTree(
  drawn: readonly IndexedState[],
  all: readonly IndexedState[],
): readonly (IndexedState & { readonly drawnParentId: string | undefined })[] {
  const parents = new Map(all.map(({ id, parentId }) => [id, parentId]));
  const isDrawn = new Set(drawn.map(({ id }) => id));
  return drawn.map((state) => {
    let nearest = state.parentId;
    while (nearest !== undefined && !isDrawn.has(nearest)) nearest = parents.get(nearest);
    return { ...state, drawnParentId: nearest };
  });
}
