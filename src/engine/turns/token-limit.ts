import { createUsageMeter, SkeinError, tokensOf, type SkeinEvent } from "../../core/index.ts";

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

function isLast({ isFinal, stopReason, parentToolUseId }: SkeinEvent & { readonly type: "usage" }): boolean {
  return isFinal && stopReason !== "tool_use" && parentToolUseId === undefined;
}
