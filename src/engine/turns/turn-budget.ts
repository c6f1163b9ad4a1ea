import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { microUsd, SkeinError, toSkeinError } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { CliSession } from "../start-up/cli-session.ts";

/** How much money there is, and who said so. */
export interface MoneyLimit {
  readonly usd: number;
  readonly option: "maxCostUsd" | "maxConversationCostUsd";
}

/** The limit that a turn meets first; undefined where it has none. `spentUsd` is what the conversation has cost before. */
export function findMoneyLimit(
  { maxCostUsd, maxConversationCostUsd }: Pick<ClaudeOptions, MoneyLimit["option"]>,
  spentUsd = 0,
): MoneyLimit | undefined {
  const leftUsd = maxConversationCostUsd === undefined ? Infinity : Math.max(0, maxConversationCostUsd - spentUsd);
  const turnUsd = maxCostUsd ?? Infinity;
  if (leftUsd === Infinity && turnUsd === Infinity) return undefined;
  return turnUsd <= leftUsd
    ? { usd: turnUsd, option: "maxCostUsd" }
    : { usd: leftUsd, option: "maxConversationCostUsd" };
}

export function moneySpent({ usd, option }: MoneyLimit): SkeinError {
  const message =
    option === "maxCostUsd"
      ? `The turn has cost ${usd} USD, its limit`
      : usd === 0
        ? "The money for the conversation is spent"
        : `The turn has cost ${usd} USD, all that was left for the conversation`;
  return new SkeinError(message, { kind: "budget", target: option, hint: `Raise \`${option}\` to continue.` });
}

export interface TurnBudget {
  /** Resolves with the reason once the turn has cost too much; never rejects. */
  readonly passed: Promise<SkeinError>;
  /** After a message that tells of a response, what the turn has cost by then is looked at. */
  heard(message: SDKMessage): void;
  /** The error of a turn that came to an end by itself and cost as much as it may, or more. */
  judge(costUsd: number): SkeinError | undefined;
}

/**
 * Watches the money of a turn in a process that is kept: the CLI's own limit counts for the whole process, so that after
 * the turn that passes it all others would fail. The CLI is asked what it has counted.
 */
export async function watchBudget(session: CliSession, limit: MoneyLimit): Promise<TurnBudget | undefined> {
  const beforeUsd = await session.settledCostUsd().catch((error: unknown) => {
    if (!session.isGone) throw toSkeinError(error);
  });
  // A process that is gone says so itself when it is read.
  if (beforeUsd === undefined) return undefined;
  let pass: (error: SkeinError) => void = () => undefined;
  const passed = new Promise<SkeinError>((resolve) => (pass = resolve));
  const isOver = (costUsd: number): boolean => microUsd(costUsd) >= microUsd(limit.usd);
  let isAsking = false;
  let hasMore = false;

  const look = async (): Promise<void> => {
    isAsking = true;
    do {
      hasMore = false;
      if (isOver((await session.costUsd()) - beforeUsd)) pass(moneySpent(limit));
    } while (hasMore);
    isAsking = false;
  };

  return {
    passed,
    heard(message) {
      if (!tellsOfResponse(message)) return;
      hasMore = true;
      if (isAsking) return;
      // A limit that cannot be watched must not be taken for one that is kept. A CLI that is gone says so itself.
      look().catch((error: unknown) => session.isGone || pass(toSkeinError(error)));
    },
    judge: (costUsd) => (isOver(costUsd) ? moneySpent(limit) : undefined),
  };
}

function tellsOfResponse(message: SDKMessage): boolean {
  if (message.type === "stream_event") return message.event.type === "message_stop";
  return message.type === "user" || (message.type === "assistant" && message.parent_tool_use_id !== null);
}
