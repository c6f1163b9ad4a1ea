import { formatNumberOf, formatReward, plainLine } from "../../terminal/index.ts";
import type { BranchData } from "./explore-data.ts";

type BranchReward = NonNullable<BranchData["reward"]>;

/** What a reward says, in words: "3 of 4 tests pass", "command succeeded". */
export function rewardMeaning({ value, parts, notes }: BranchReward): string {
  if (notes["problem"] !== undefined) return plainLine(notes["problem"]);
  const { passed, total } = parts;
  if (passed !== undefined && total !== undefined) {
    return `${passed} of ${formatNumberOf(total, "test")} ${total === 1 && passed === 1 ? "passes" : "pass"}`;
  }
  const { ending } = notes;
  if (ending !== undefined) return value === 1 ? "command succeeded" : `command failed: ${plainLine(ending)}`;
  const named = Object.entries(parts).map(([name, part]) => `${plainLine(name)} ${formatReward(part)}`);
  return named.length > 0 ? named.join(", ") : "";
}

/** Whether a check that was run says no: what it was run on is nothing to recommend, even if all others are worse. */
export function isRefused({ value, notes }: BranchReward): boolean {
  return notes["command"] !== undefined && value === 0;
}
