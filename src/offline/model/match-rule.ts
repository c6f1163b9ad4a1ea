import { defined } from "../../core/internal.ts";
import type { MessagesRequest } from "../api/messages-request.ts";
import type { Condition, Rule } from "../scenarios/scenario.ts";
import type { Conversation } from "./conversation.ts";

export type RuleMatch = NonNullable<ReturnType<typeof matchRule>>;

export function matchRule(rules: readonly Rule[], request: MessagesRequest, conversation: Conversation) {
  for (const [index, rule] of rules.entries()) {
    const captures = matchCondition(rule.when ?? {}, request, conversation);
    if (captures) return { index, rule, captures };
  }
  return undefined;
}

function toExpression(pattern: string | RegExp): RegExp {
  return typeof pattern === "string"
    ? new RegExp(pattern, "i")
    : new RegExp(pattern.source, pattern.flags.replace("g", ""));
}

function matchCondition(
  condition: Condition,
  request: MessagesRequest,
  conversation: Conversation,
): Readonly<Record<string, string>> | undefined {
  const offered = new Set((request.tools ?? []).map(({ name }) => name));
  if (condition.tools?.some((tool) => !offered.has(tool))) return undefined;
  if (condition.model !== undefined && !toExpression(condition.model).test(request.model)) return undefined;
  if (condition.system !== undefined && !toExpression(condition.system).test(conversation.system)) return undefined;
  if (condition.subagent !== undefined && condition.subagent !== conversation.isSubagent) return undefined;
  return matchPrompt(condition.prompt, conversation.prompt);
}

function matchPrompt(wanted: Condition["prompt"], prompt: string): Readonly<Record<string, string>> | undefined {
  if (wanted === undefined) return {};
  if (typeof wanted === "function") return wanted(prompt) ? {} : undefined;
  const match = toExpression(wanted).exec(prompt);
  if (!match) return undefined;
  return defined({ ...match.groups, ...Object.fromEntries(match.slice(1).map((group, index) => [index + 1, group])) });
}
