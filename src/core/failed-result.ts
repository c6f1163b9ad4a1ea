import type { TurnResult } from "./event.ts";
import type { SkeinError } from "./skein-error.ts";
import { NO_USAGE } from "./usage.ts";

/** The result of a turn that failed before it did anything: it used nothing and cost nothing. */
export function failedResult(
  error: SkeinError,
  { sessionId = "", model = "" }: { readonly sessionId?: string | undefined; readonly model?: string | undefined } = {},
): TurnResult {
  return {
    text: "",
    sessionId,
    isError: true,
    error: error.toJSON(),
    usage: NO_USAGE,
    usageByModel: {},
    costUsd: 0,
    durationMs: 0,
    turns: 0,
    model,
    permissionDenials: [],
  };
}
