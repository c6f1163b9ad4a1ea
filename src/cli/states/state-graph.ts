import { z } from "zod";
import type { IndexedState, StateQuery, TraceIndex } from "../../trace/internal.ts";
import { treeLines, type Terminal } from "../../terminal/index.ts";
import { rankBranches } from "./rank-branches.ts";
import type { StateData, StateNames } from "./state-data.ts";
import { foldWords, mainReward, markOf, stateSign, type StateLine } from "./state-lines.ts";

interface GraphNode {
  readonly id: string;
  /** The nearest state before it that is drawn too. */
  readonly parentId?: string | undefined;
  readonly mark: string;
}

/** Draws a tree of states, children before their parents: each path has a lane, and lanes meet where paths part. */
export function drawGraph(nodes: readonly GraphNode[]) {
  const lines: { readonly lanes: string; readonly id?: string }[] = [];
  /** The state that each lane leads down to; undefined where it is free. */
  const lanes: (string | undefined)[] = [];
  for (const { id, parentId, mark } of nodes) {
    const meeting = lanes.flatMap((awaited, lane) => (awaited === id ? [lane] : []));
    const own = meeting[0] ?? firstFree(lanes);
    if (meeting.length > 1) lines.push({ lanes: meetingLine(lanes, meeting) });
    for (const lane of meeting) lanes[lane] = undefined;
    lanes[own] = id;
    lines.push({ lanes: lanes.map((awaited, lane) => cell(awaited, lane === own ? mark : undefined)).join(" "), id });
    lanes[own] = parentId;
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
  }
  return lines;
}

/** Puts states in the order in which they are drawn: newest first, and each after all that came from it. */
export function graphOrder<Node extends { readonly id: string; readonly parentId?: string | undefined }>(
  newestFirst: readonly Node[],
): readonly Node[] {
  const children = new Map<string, number>();
  for (const { parentId } of newestFirst) {
    if (parentId !== undefined) children.set(parentId, (children.get(parentId) ?? 0) + 1);
  }
  const waiting = [...newestFirst];
  const ordered: Node[] = [];
  while (waiting.length > 0) {
    // The clocks of two machines may differ, so that a state looks older than the one before it.
    const next = waiting.findIndex(({ id }) => (children.get(id) ?? 0) === 0);
    const [node] = waiting.splice(Math.max(next, 0), 1);
    if (!node) break;
    ordered.push(node);
    if (node.parentId !== undefined) children.set(node.parentId, (children.get(node.parentId) ?? 0) - 1);
  }
  return ordered;
}

function firstFree(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free === -1 ? lanes.length : free;
}

function cell(awaited: string | undefined, mark: string | undefined): string {
  return mark ?? (awaited === undefined ? " " : "│");
}

/** `├─┴─╯`: the lanes that end here turn to the leftmost; a lane between them goes through. */
function meetingLine(lanes: readonly (string | undefined)[], meeting: readonly number[]): string {
  const [first = 0] = meeting;
  const last = meeting.at(-1) ?? first;
  return lanes
    .map((awaited, lane) => {
      const isInside = lane >= first && lane < last;
      const gap = lane === lanes.length - 1 ? "" : isInside ? "─" : " ";
      if (lane === first) return `├${gap}`;
      if (lane === last) return `╯${gap}`;
      if (meeting.includes(lane)) return `┴${gap}`;
      if (lane > first && lane < last) return `${awaited === undefined ? "─" : "┼"}${gap}`;
      return `${cell(awaited, undefined)}${gap}`;
    })
    .join("");
}

/** The lines of a drawn tree: what is drawn, and the state that stands in the line, or the branches that are folded away there. */
export const DrawnLine = z.strictObject({
  lanes: z.string().describe("What is drawn in the line: a lane for each path of states"),
  state_id: z.string().nullable().describe("The state of the line; null where there is none"),
  folded: z
    .strictObject({
      branches: z.int().describe("How many there are"),
      best_reward: z.number().nullable().describe("The best reward among them; null where none was rewarded"),
    })
    .nullable()
    .describe("The branches that are folded away in the line; null where none are"),
});

type DrawnLine = z.infer<typeof DrawnLine>;

/** Draws states, given newest first, among all that there are; of many branches of one state only the best ones. */
export function drawStates(
  drawn: readonly IndexedState[],
  all: readonly IndexedState[],
  { names, isFolded }: { readonly names: StateNames; readonly isFolded: boolean },
): DrawnLine[] {
  const tree = drawnTree(drawn, all);
  const named = new Set([names.head, ...names.checkpoints.values()]);
  const { roots, childrenOf, foldOf } = rankBranches(
    tree.map(({ id, drawnParentId, rewards }) => ({
      id,
      parentId: drawnParentId,
      reward: mainReward(rewards),
      isNamed: named.has(id),
    })),
    { isFolded },
  );
  const kept = new Set(treeLines(roots, childrenOf).map(({ item }) => item));
  const nodes = tree
    .filter(({ id }) => kept.has(id))
    .flatMap(({ id, drawnParentId, kind, turn }): GraphNode[] => {
      const node = { id, parentId: drawnParentId, mark: stateSign({ kind, outcome: turn?.outcome }) };
      // What is folded away stands right above the state that it comes from.
      return foldOf(id) ? [{ id: `${id}${FOLDED}`, parentId: id, mark: "…" }, node] : [node];
    });
  return drawGraph(graphOrder(nodes)).map(({ lanes, id }) => {
    const fold = id?.endsWith(FOLDED) === true ? foldOf(id.slice(0, -FOLDED.length)) : undefined;
    return {
      lanes,
      state_id: fold ? null : (id ?? null),
      folded: fold ? { branches: fold.branches, best_reward: fold.bestReward ?? null } : null,
    };
  });
}

/** Ends the name of a line that stands for branches; no id of a state has such an end. */
const FOLDED = ":folded";

export function drawnLines(
  drawing: readonly DrawnLine[],
  states: readonly StateData[],
  terminal: Terminal,
): readonly StateLine[] {
  const byId = new Map(states.map((state) => [state.state_id, state]));
  return drawing.map(({ lanes, state_id: id, folded }) => {
    const line = drawnLine(lanes, id === null ? undefined : byId.get(id), terminal);
    return folded ? { ...line, text: foldWords(folded) } : line;
  });
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

/** The newest states that are wanted, at most as many as the limit says; the index is read page by page. */
export async function findStates(
  index: TraceIndex,
  wanted: { readonly query: StateQuery; readonly limit: number; readonly isWanted: (state: IndexedState) => boolean },
): Promise<readonly IndexedState[]> {
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
