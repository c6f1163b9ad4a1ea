import type { ToolUse } from "../../transcript/index.ts";
import { formatDuration, formatNumberOf } from "../format-amounts.ts";
import { countChanges, type DiffLine } from "./tool-diff.ts";

/** How a call ended: its sign, and the word for it where something is wrong. */
export interface ToolOutcome {
  readonly state: "done" | "failed" | "open";
  readonly mark: string;
  readonly word: string;
}

/** How a call ended. */
export function outcomeOf({ result }: ToolUse): ToolOutcome {
  if (result === undefined) return { state: "open", mark: "…", word: "no result" };
  if (result.isInterrupted) return { state: "failed", mark: "✗", word: "interrupted" };
  return result.isError ? { state: "failed", mark: "✗", word: "failed" } : { state: "done", mark: "✓", word: "" };
}

/** What came of a call, in a few words. */
export function summarizeTool(tool: ToolUse, diff: readonly DiffLine[] | undefined): string {
  const text = tool.result?.text.trimEnd() ?? "";
  const lines = text === "" ? 0 : text.split("\n").length;
  const changes = diff && countChanges(diff);
  return [
    outcomeOf(tool).word,
    changes ? `+${changes.added} −${changes.removed}` : lines > 1 ? formatNumberOf(lines, "line") : "",
    tool.durationMs === undefined ? "" : formatDuration(tool.durationMs),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
