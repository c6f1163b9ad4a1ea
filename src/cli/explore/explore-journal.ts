import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ExploreFlags } from "./explore-flags.ts";

/**
 * Where a search keeps what it has explored. The name comes from all that decides what a branch comes to; how far is searched,
 * how fast and for how much money may differ, so that a search can be taken further.
 */
export function journalPath(home: string, from: string, given: ExploreFlags & { readonly taskText?: string }): string {
  const { strategy, prompt, reward, rewardFormat, feedback, taskText } = given;
  const { offline, model, permissionMode, allowedTools, disallowedTools, allowWorktrees, carry } = given;
  const deciding = [
    ["search", from, strategy, prompt, feedback ?? null, taskText ?? null],
    ["reward", reward ?? null, rewardFormat],
    ["agent", offline ?? null, model ?? null, permissionMode, allowedTools, disallowedTools],
    ...(allowWorktrees ? [["worktrees"]] : []),
    ...(carry.length > 0 ? [["carry", ...carry]] : []),
  ];
  const name = createHash("sha256").update(JSON.stringify(deciding)).digest("hex").slice(0, 32);
  return join(home, "searches", `${name}.jsonl`);
}
