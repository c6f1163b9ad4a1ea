import { hierarchy, tree, type HierarchyNode } from "d3-hierarchy";
import { groupBy } from "../../parts/group-by.ts";
import type { Pill } from "./fold.ts";

/** How large a pill is with its prompt above it and its names below, and where its own edges are within. */
export const PILL = { width: 168, height: 84, top: 36, bottom: 64 } as const;

const STEP = { x: PILL.width + 16, y: PILL.height + 24 } as const;

/** Where a pill is: its upper left corner. */
export interface Placed {
  readonly pill: Pill;
  readonly x: number;
  readonly y: number;
}

/** A tidy tree, top-down. */
export interface Layout {
  readonly placed: readonly Placed[];
  readonly byId: ReadonlyMap<string, Placed>;
  /** The pills of each row, from the left. */
  readonly rows: ReadonlyMap<number, readonly Placed[]>;
  readonly width: number;
  readonly height: number;
}

/** Lays pills out as Reingold, Tilford and Buchheim would: in time that grows as their number. */
export function layOut(roots: readonly Pill[]): Layout {
  const laid = tree<Pill | undefined>()
    .nodeSize([STEP.x, STEP.y])
    .separation(() => 1)(hang(roots));
  const found: { pill: Pill; x: number; y: number }[] = [];
  laid.each(({ data: pill, x, y }) => {
    // The root that all others hang on is not drawn.
    if (pill) found.push({ pill, x: x - PILL.width / 2, y: y - STEP.y });
  });
  const left = found.reduce((least, { x }) => Math.min(least, x), Infinity);
  const placed: readonly Placed[] = found.map((each) => ({ ...each, x: each.x - left }));
  const rows = groupBy(placed, ({ y }) => y);
  return {
    placed,
    byId: new Map(placed.map((each) => [each.pill.id, each])),
    rows: new Map([...rows].map(([y, row]) => [y, row.toSorted((one, other) => one.x - other.x)])),
    width: placed.reduce((most, { x }) => Math.max(most, x + PILL.width), 0),
    height: placed.reduce((most, { y }) => Math.max(most, y + PILL.height), 0),
  };
}

type Hung = HierarchyNode<Pill | undefined>;

/** The pills as d3 wants them. It makes them itself too, but walks up from each for its height: a path of 20,000 states took four seconds. */
function hang(roots: readonly Pill[]): Hung {
  const root: Hung = hierarchy<Pill | undefined>(undefined, () => undefined);
  const waiting: { readonly node: Hung; readonly below: readonly Pill[] }[] = [{ node: root, below: roots }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, below } = next;
    if (below.length === 0) continue;
    node.children = below.map((pill) => {
      const child: Hung = hierarchy<Pill | undefined>(pill, () => undefined);
      return Object.assign(child, { parent: node, depth: node.depth + 1 });
    });
    for (const child of node.children) waiting.push({ node: child, below: child.data?.children ?? [] });
  }
  return root;
}
