import { ClaudeTimeoutError } from "../../core/index.ts";

/** What a turn is refused with that could not begin in time. */
export function deadlinePassed(): ClaudeTimeoutError {
  return new ClaudeTimeoutError("The deadline passed before the turn could begin", {
    reason: "deadline",
    retryable: false,
    hint: "Give a later deadline, or run fewer turns at once.",
  });
}
