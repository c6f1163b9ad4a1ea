import type { ErrorRecord } from "../../core/index.ts";

/** Why a turn, or a loop of turns, came to its end. */
export const STOP_REASONS = [
  "completed",
  "max_turns_reached",
  "max_budget_reached",
  "cancelled",
  "timeout",
  "error",
] as const;

/** Why a turn, or a loop of turns, came to its end. */
export type StopReason = (typeof STOP_REASONS)[number];

/** Why a turn ended, from its error; none is a turn that did what it was asked to. */
export function stopReasonOf(error: Pick<ErrorRecord, "kind"> | undefined): StopReason {
  switch (error?.kind) {
    case undefined:
      return "completed";
    case "budget":
      return "max_budget_reached";
    case "cancelled":
      return "cancelled";
    case "timeout":
      return "timeout";
    default:
      return "error";
  }
}
