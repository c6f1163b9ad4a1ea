import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { SkeinError, createUsageMeter, tokensOf, type SkeinEvent, type UsageEvent } from "../../core/index.ts";
import { RESPONSES_HINT } from "../failures/classify-error.ts";

/** Model responses that a turn may take where nothing is said: a loop without end is not paid for without end. */
export const DEFAULT_MAX_RESPONSES = 500;

/**
 * Counts the responses of each agent of a turn, and gives the error once one has taken too many. The CLI holds the limit for the
 * agent itself, prompt by prompt; this one holds for all that belongs to the turn. A sub-agent may take as many as a turn may by default,
 * or more where the turn may.
 */
export function createResponseLimit(
  maxResponses = DEFAULT_MAX_RESPONSES,
): (message: SDKMessage) => SkeinError | undefined {
  const agents = new Map<string, { latest: string; count: number }>();
  return (message) => {
    const id = responseIn(message);
    if (id === undefined) return undefined;
    const parent = ("parent_tool_use_id" in message && message.parent_tool_use_id) || "";
    const agent = agents.get(parent) ?? { latest: "", count: 0 };
    if (agent.latest !== id) agents.set(parent, { latest: id, count: agent.count + 1 });
    const limit = parent === "" ? maxResponses : Math.max(maxResponses, DEFAULT_MAX_RESPONSES);
    return (agents.get(parent)?.count ?? 0) > limit ? tooManyResponses(limit, parent !== "") : undefined;
  };
}

function tooManyResponses(limit: number, isSubagent: boolean): SkeinError {
  const message = `${isSubagent ? "A sub-agent" : "The turn"} has taken the ${limit} responses it may take`;
  return new SkeinError(message, { kind: "budget", target: "maxResponses", hint: RESPONSES_HINT });
}

/** The id of the response that a message belongs to. The CLI's own words are none. */
function responseIn(message: SDKMessage): string | undefined {
  if (message.type === "assistant") return message.message.model === "<synthetic>" ? undefined : message.message.id;
  return message.type === "stream_event" && message.event.type === "message_start"
    ? message.event.message.id
    : undefined;
}

/**
 * Counts the tokens of a turn, and gives the error once it has used as many as it may. A response that is the turn's last one is let
 * through: nothing would be saved by stopping what is over.
 */
export function createTokenLimit(maxTokens = Infinity): (event: SkeinEvent) => SkeinError | undefined {
  const meter = createUsageMeter();
  return (event) => {
    meter.read(event);
    if (event.type !== "usage" || isLast(event)) return undefined;
    const used = tokensOf(meter.spent());
    if (used < maxTokens) return undefined;
    return new SkeinError(`The turn has used ${used} tokens; its limit is ${maxTokens}`, {
      kind: "budget",
      target: "maxTokens",
      hint: "Raise maxTokens, or resume the session to continue.",
    });
  };
}

function isLast({ isFinal, stopReason, parentToolUseId }: UsageEvent): boolean {
  return isFinal && stopReason !== "tool_use" && parentToolUseId === undefined;
}
