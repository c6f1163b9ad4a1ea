import type { Pill, Pills } from "./fold.ts";
import type { Layout } from "./layout.ts";
import type { Shown } from "./shown.ts";

export type Direction = "up" | "down" | "left" | "right";

/** Where an arrow key leads: to the pill before, to the one after it on the best path or else the newest, or to the next one in the row. */
export function neighbour(
  at: Pill | undefined,
  direction: Direction,
  { layout, pills, shown }: { readonly layout: Layout; readonly pills: Pills; readonly shown: Shown },
): Pill | undefined {
  if (!at) return pills.roots.at(-1);
  if (direction === "up") return at.parent;
  if (direction === "down") {
    return at.children.find(({ node }) => shown.bestPath.has(node.id)) ?? at.children.at(-1);
  }
  const placed = layout.byId.get(at.id);
  const row = placed ? (layout.rows.get(placed.y) ?? []) : [];
  const place = row.findIndex(({ pill }) => pill === at);
  return row[place + (direction === "right" ? 1 : -1)]?.pill;
}
