import { z } from "zod";
import type { IndexedState, StateQuery, TraceIndex } from "../../trace/index.ts";
import type { Terminal } from "../terminal.ts";
import type { StateData } from "./state-data.ts";
import { drawGraph, graphOrder } from "./state-graph.ts";
import { stateMark, stateSign, type StateLine } from "./state-lines.ts";

/** The lines of a drawn tree: what is drawn, and the state that stands in the line. */
export const DrawnLine = z.strictObject({ lanes: z.string(), state_id: z.string().nullable() });

type DrawnLine = z.infer<typeof DrawnLine>;

/** Draws states, given newest first, among all that there are. */
export function drawStates(drawn: readonly IndexedState[], all: readonly IndexedState[]): DrawnLine[] {
  const nodes = drawnTree(drawn, all).map(({ id, drawnParentId, kind, turn }) => ({
    id,
    parentId: drawnParentId,
    mark: stateSign({ kind, outcome: turn?.outcome }),
  }));
  return drawGraph(graphOrder(nodes)).map(({ lanes, id }) => ({ lanes, state_id: id ?? null }));
}

/** The lines for people, with their states. */
export function drawnLines(
  drawing: readonly DrawnLine[],
  states: readonly StateData[],
  terminal: Terminal,
): readonly StateLine[] {
  const byId = new Map(states.map((state) => [state.state_id, state]));
  return drawing.map(({ lanes, state_id: id }) => drawnLine(lanes, id === null ? undefined : byId.get(id), terminal));
}

/** The mark of a state in its colour. */
export function markOf({ kind, turn }: StateData, terminal: Terminal): string {
  return stateMark({ kind, outcome: turn?.outcome }, terminal);
}

/** The lanes are drawn without colours; the one sign among them gets its own. */
function drawnLine(lanes: string, state: StateData | undefined, terminal: Terminal): StateLine {
  const { dim } = terminal.colors;
  if (!state) return { before: dim(lanes) };
  const sign = stateSign({ kind: state.kind, outcome: state.turn?.outcome });
  const [left = "", right = ""] = lanes.split(sign);
  return { before: `${left && dim(left)}${markOf(state, terminal)}${right && dim(right)}`, state };
}

const PAGE = 200;

/** Which states are listed. */
interface WantedStates {
  readonly query: StateQuery;
  readonly limit: number;
  /** Of those that fit the query, which are listed. */
  readonly isWanted: (state: IndexedState) => boolean;
}

/** The newest states that are wanted, at most as many as the limit says; the index is read page by page. */
export async function findStates(index: TraceIndex, wanted: WantedStates): Promise<readonly IndexedState[]> {
  const found: IndexedState[] = [];
  for (let offset = 0; found.length < wanted.limit; offset += PAGE) {
    const page = await index.query({ ...wanted.query, limit: PAGE, offset });
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
