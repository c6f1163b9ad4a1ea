import type { RunData, TreeData } from "../../../../src/monitor/api-types.ts";
import { groupBy } from "../../parts/group-by.ts";

/** A state, with as much of it as it takes to draw it. */
export type TreeItem = TreeData["nodes"][number];

/** A state of a workspace, or a turn that goes on and will lead to one. */
export interface SkeinNode {
  readonly id: string;
  /** What is recorded; undefined of a turn that goes on. */
  readonly item: TreeItem | undefined;
  /** The turn that goes on; undefined of a state. */
  readonly run: RunData | undefined;
  readonly parent: SkeinNode | undefined;
  /** The oldest first: newest to the right. */
  readonly children: readonly SkeinNode[];
  readonly checkpoints: readonly string[];
  readonly isHead: boolean;
}

/** All states of a workspace, hung on each other. */
export interface Skein {
  /** Parents before their children, a path before the next one. */
  readonly nodes: readonly SkeinNode[];
  readonly roots: readonly SkeinNode[];
  readonly byId: ReadonlyMap<string, SkeinNode>;
}

type Growing = { -readonly [Part in keyof SkeinNode]: SkeinNode[Part] } & { children: Growing[] };

/** Hangs states on the states before them, and what runs now below the state that it began from. */
export function createSkein(
  { nodes: items, head, checkpoints }: Pick<TreeData, "nodes" | "head" | "checkpoints">,
  runs: readonly RunData[] = [],
): Skein {
  const byId = new Map<string, Growing>();
  const names = groupBy(Object.keys(checkpoints), (name) => checkpoints[name] ?? "");
  const nothing = { item: undefined, run: undefined, parent: undefined };
  for (const item of items) {
    const id = item.state_id;
    byId.set(id, { ...nothing, id, item, children: [], checkpoints: names.get(id) ?? [], isHead: id === head });
  }
  for (const run of runs) {
    const id = runNodeId(run.run);
    byId.set(id, { ...nothing, id, run, children: [], checkpoints: [], isHead: false });
  }
  const roots: Growing[] = [];
  for (const node of byId.values()) {
    const parent = byId.get(node.item?.parent_id ?? node.run?.before_state_id ?? "");
    if (parent && parent !== node) {
      node.parent = parent;
      parent.children.push(node);
    } else roots.push(node);
  }
  return { nodes: inOrder(roots), roots, byId };
}

/** The name of a running turn among the nodes. */
function runNodeId(run: string): string {
  return `run:${run}`;
}

function inOrder(roots: readonly SkeinNode[]): readonly SkeinNode[] {
  const found: SkeinNode[] = [];
  const waiting = [...roots].toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    found.push(node);
    waiting.push(...node.children.toReversed());
  }
  return found;
}

/** The runs of a workspace that belong into its tree: turns that go on, and those that ended and are not in the tree yet. */
export function runsToHang(
  runs: Iterable<RunData>,
  path: string | undefined,
  items: readonly TreeItem[],
): readonly RunData[] {
  const known = new Set(items.map(({ state_id: id }) => id));
  return [...runs].filter((run) => {
    if (run.kind !== "turn" || run.workspace !== path || run.before_state_id === null) return false;
    if (!known.has(run.before_state_id)) return false;
    return run.state_id === null ? run.state === "running" : !known.has(run.state_id);
  });
}

/** What a node is called in a line: the turn's prompt, or what it is. */
export function nodeTitle({ item, run }: SkeinNode): string {
  const prompt = (run?.prompt ?? item?.prompt ?? "").trim();
  if (prompt !== "") return prompt;
  if (item?.kind === "start") return "Start of a conversation";
  if (item?.kind === "edit") return "Files changed outside of any turn";
  if (item?.kind === "unreadable") return "This state cannot be read";
  return "A turn without a prompt";
}

/** Whether the words of a search all occur in what is known of a node. */
export function nodeHas({ item, run, checkpoints }: SkeinNode, words: string): boolean {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  if (wanted.length === 0) return false;
  const text = [
    item?.prompt,
    run?.prompt,
    item?.state_id,
    item?.outcome,
    item?.kind,
    run && "running",
    ...checkpoints,
    item?.bookmark,
  ]
    .filter(Boolean)
    .join(" ")
    .toLowerCase();
  return wanted.every((word) => text.includes(word));
}
