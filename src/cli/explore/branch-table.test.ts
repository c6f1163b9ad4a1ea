import { expect, it } from "vitest";
import { describeTerminal } from "../../terminal/index.ts";
import { createSearchProgress } from "./branch-progress.ts";
import { formatBranches, type BranchRow } from "./branch-table.ts";

it("tells what a branch that runs has cost, and of the offline model that it is one", () => {
  const progress = createSearchProgress();
  const timestamp = "2026-11-19T00:00:00.000Z";
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const ids = [`msg_offline_todo_${"0".repeat(32)}`, "msg_01"];
  for (const [index, messageId] of ids.entries()) {
    const place = { id: index + 1, parentId: 0, depth: 1, prompt: `way ${index + 1}`, attempt: 1 };
    const told = { messageId, model: "claude-sonnet-4-5", usage, isFinal: true };
    progress.watch.happened(place, { type: "usage", timestamp, ...told });
  }
  const rows = progress.running().map((each): BranchRow => {
    const { id, parentId, prompt, attempt } = each.place;
    return { type: "running", branch: { id, parent_id: parentId, prompt, attempt }, progress: { ...each, sinceMs: 0 } };
  });
  const terminal = describeTerminal({ stdin: {}, stdout: {}, env: {} });
  expect(formatBranches(rows, { terminal, nowMs: 5000 })).toBe(`     Branch  Result       Cost  Time
  …  way 1   starting  offline   5 s
  …  way 2   starting    $3.00   5 s
`);
});
