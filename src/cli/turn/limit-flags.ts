import { z } from "zod";
import type { ClaudeOptions } from "../../engine/index.ts";
import { LONGEST_TIMEOUT_S, timeoutFlag } from "../timeout-flag.ts";
import { defined } from "../../core/index.ts";

/** The flags that say how far a turn may go. The limits on responses, silence and time have defaults, and can be raised by these. */
export const limitFlags = {
  maxResponses: z.coerce.number().int().positive().optional().meta({
    label: "count",
    description: "Limit on model responses (default: 500)",
  }),
  maxCostUsd: z.coerce.number().positive().optional().meta({
    label: "amount",
    description: "Spending limit",
  }),
  maxConversationCostUsd: z.coerce.number().positive().optional().meta({
    label: "amount",
    description: "Spending limit for the whole conversation, including earlier turns",
  }),
  timeout: timeoutFlag.meta({ label: "seconds", description: "Time limit (default: 2 hours)" }),
  idleTimeout: z.coerce.number().positive().max(LONGEST_TIMEOUT_S).optional().meta({
    label: "seconds",
    description: "Stop after this long without a new token while no tool runs (default: 5 minutes)",
  }),
} as const;

/** What was given with these flags. */
type LimitFlags = z.infer<z.ZodObject<typeof limitFlags>>;

/** The flags as options of a turn. */
export function limitOptions(given: LimitFlags): ClaudeOptions {
  const { maxResponses, maxCostUsd, maxConversationCostUsd, timeout, idleTimeout } = given;
  return {
    ...defined({ maxResponses, maxCostUsd, maxConversationCostUsd }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.ceil(timeout * 1000) }),
    ...(idleTimeout === undefined ? {} : { idleTimeoutMs: Math.ceil(idleTimeout * 1000) }),
  };
}
