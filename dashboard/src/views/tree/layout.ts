import { hierarchy, tree } from "d3-hierarchy";
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

interface Branch {
  readonly pill: Pill | undefined;
  readonly children: readonly Branch[] | readonly Pill[];
}

/** Lays pills out as Reingold, Tilford and Buchheim would: in time that grows as their number. */
export function layOut(roots: readonly Pill[]): Layout {
  const all = hierarchy<Branch | Pill>({ pill: undefined, children: roots }, ({ children }) => children);
  const laid = tree<Branch | Pill>()
    .nodeSize([STEP.x, STEP.y])
    .separation(() => 1)(all);
  const found: { pill: Pill; x: number; y: number }[] = [];
  laid.each(({ data, x, y }) => {
    // The root that all others hang on is not drawn.
    if ("node" in data) found.push({ pill: data, x: x - PILL.width / 2, y: y - STEP.y });
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
