import type { UsageTotals } from "../usage/usage-totals.ts";

/** What numbers are grouped by. */
export type StatsGroup = "day" | "model" | "project" | "tool" | "session";

/** Which numbers are meant. All that is given must hold. */
export interface StatsOptions {
  readonly by: StatsGroup;
  /** A project's real path, its last part, or the name of Claude Code's folder for it. */
  readonly project?: string;
  /** A session's id, or the only one that begins so. */
  readonly session?: string;
  /** Part of a model's name. */
  readonly model?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** The time zone whose days are meant, such as `Europe/Paris`; the machine's unless said. */
  readonly timeZone?: string;
}

/** The numbers of one group. */
export interface StatsRow extends UsageTotals {
  /** A day as YYYY-MM-DD, a model, a project's path, a tool or a session's id; empty where the records name none. */
  readonly key: string;
  /** Of sessions: the title or the first prompt. */
  readonly label: string | undefined;
  /** Of tools alone. A tool's tokens are its share of the answers that called it, in equal parts. */
  readonly tool: ToolNumbers | undefined;
}

/** How a tool did. */
export interface ToolNumbers {
  readonly calls: number;
  readonly errors: number;
  /** Calls whose result is not in the files. */
  readonly unanswered: number;
  readonly totalDurationMs: number;
  /** From the call to its result; undefined where no call has both times. */
  readonly averageDurationMs: number | undefined;
}

/** Numbers in groups: days in order, all else the costliest first. */
export interface UsageStats {
  readonly by: StatsGroup;
  readonly rows: readonly StatsRow[];
  /** Over everything that fits. Not the sum of the rows of tools: answers without a tool are in it. */
  readonly total: UsageTotals;
  readonly prices: { readonly date: string; readonly source: string };
  /** Models without a price: their tokens are counted, their money is not. */
  readonly unpricedModels: readonly string[];
}
