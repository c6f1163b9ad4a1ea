import type { SkeinEvent } from "../../core/index.ts";

/** How often a tool was called, and how that went. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly denied: number;
}

/** Counts the calls of one more event into a tally; tools stay in the order of their first call. */
export function countTool(tally: readonly ToolCount[], event: SkeinEvent): readonly ToolCount[] {
  if (event.type !== "tool-end") return tally;
  const known = tally.find(({ tool }) => tool === event.tool);
  const before = known ?? { tool: event.tool, calls: 0, errors: 0, denied: 0 };
  const after: ToolCount = {
    tool: event.tool,
    calls: before.calls + 1,
    errors: before.errors + (event.isError && !event.isDenied ? 1 : 0),
    denied: before.denied + (event.isDenied ? 1 : 0),
  };
  return known ? tally.map((count) => (count === known ? after : count)) : [...tally, after];
}
