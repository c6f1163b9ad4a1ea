/** A state of the tree that is drawn. */
export interface GraphNode {
  readonly id: string;
  /** The nearest state before it that is drawn too. */
  readonly parentId?: string | undefined;
  readonly mark: string;
}

/** A line of the drawing; the lines between states have none. */
export interface GraphLine {
  readonly lanes: string;
  readonly id?: string;
}

/** Draws a tree of states, children before their parents: each path has a lane, and lanes meet where paths part. */
export function drawGraph(nodes: readonly GraphNode[]): readonly GraphLine[] {
  const lines: GraphLine[] = [];
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
