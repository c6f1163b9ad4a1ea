import type { StateDetail } from "../../../../src/monitor/api-types.ts";

/** What a turn took, out of its record, of which the page knows only a part. */
export interface TurnUsage {
  readonly tokens: number | undefined;
  readonly durationMs: number | undefined;
  readonly model: string | undefined;
  /** `Edit 2, Bash`. */
  readonly tools: string;
}

export function usageOf(detail: StateDetail | undefined): TurnUsage {
  const { execution, tools = [] } = detail?.transition ?? {};
  const usage = execution?.["usage"];
  const counts = usage === null || typeof usage !== "object" ? [] : Object.values(usage);
  const calls = new Map<string, number>();
  for (const { tool } of tools) calls.set(tool, (calls.get(tool) ?? 0) + 1);
  return {
    tokens: counts.length === 0 ? undefined : counts.reduce((sum: number, count) => sum + Number(count), 0),
    durationMs: typeof execution?.["duration_ms"] === "number" ? execution["duration_ms"] : undefined,
    model: typeof execution?.["model"] === "string" ? execution["model"] : undefined,
    tools: [...calls].map(([tool, count]) => (count === 1 ? tool : `${tool} ${count}`)).join(", "),
  };
}
