import { type TurnResult } from "../../src/core/index.ts";
import { NO_USAGE } from "../../src/core/internal.ts";

/** A turn that came to a good end, and cost nothing. */
export const SAMPLE_RESULT: TurnResult = {
  text: "done",
  sessionId: "s",
  isError: false,
  usage: NO_USAGE,
  usageByModel: {},
  costUsd: 0,
  durationMs: 1,
  responses: 1,
  model: "m",
  permissionDenials: [],
};
