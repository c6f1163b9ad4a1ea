import { createHash } from "node:crypto";
import type { MessagesRequest } from "../api/messages-request.ts";
import type { Fault } from "../scenarios/fault.ts";
import type { Context, Scenario, Step } from "../scenarios/scenario.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { matchRule, type RuleMatch } from "./match-rule.ts";
import { lastText, type Reply, splitIntoReplies, textReply, writeReply } from "./reply.ts";
import type { Tally } from "./server-memory.ts";
import { answerSideRequest } from "./side-request.ts";

interface PlayOptions {
  readonly tally: Tally;
  /** The number of the rollout, where the client names one; counted otherwise. */
  readonly rollout?: number | undefined;
}

/** Finds the place in the scenario from the conversation in the request: the response for it, and what goes wrong with it. */
export function play(
  scenario: Scenario,
  request: MessagesRequest,
  options: PlayOptions,
): { readonly reply: Reply; readonly fault?: Fault } {
  const conversation = readConversation(request);
  const aside = answerSideRequest(request, conversation);
  if (aside !== undefined) return { reply: textReply(aside) };

  const match = matchRule(scenario.rules, request, conversation);
  const context = toContext(request, conversation, match);
  const alternative = match ? chooseAlternative(scenario, match, conversation, options) : 0;
  const replies = splitIntoReplies(match ? stepsOf(match, alternative, context) : otherwise(scenario, conversation));
  const { position, sessionId, prompt } = conversation;
  const script = replies[position];
  if (!script) return { reply: textReply(lastText(replies, context)) };

  const fault = chooseFault(script.faults, () => options.tally.countAttempt(sessionId, prompt, position));
  const mark = { alternative, salt: JSON.stringify([prompt, request.messages.length]) };
  const reply = writeReply(script, context, mark);
  return fault ? { reply, fault } : { reply };
}

function toContext({ tools = [], model }: MessagesRequest, conversation: Conversation, match?: RuleMatch): Context {
  const { prompt, cwd, results } = conversation;
  const result = results.at(-1)?.text ?? "";
  return { prompt, cwd, results, result, captures: match?.captures ?? {}, tools: tools.map(({ name }) => name), model };
}

function stepsOf({ rule }: RuleMatch, alternative: number, context: Context): readonly Step[] {
  if (rule.oneOf) return rule.oneOf[alternative]?.steps ?? [];
  return typeof rule.steps === "function" ? rule.steps(context) : (rule.steps ?? []);
}

/** An alternative is drawn once, at the start; from then on the ids of its own tool calls tell which it was. */
function chooseAlternative(
  scenario: Scenario,
  { rule, index }: RuleMatch,
  conversation: Conversation,
  { tally, rollout }: PlayOptions,
): number {
  if (!rule.oneOf) return 0;
  const marked = conversation.callIds
    .map((id) => /^toolu_skein(\d+)_/.exec(id)?.[1])
    .find((mark) => mark !== undefined);
  if (marked !== undefined) return Number(marked);
  const number = rollout ?? tally.rolloutOf(conversation.sessionId, conversation.prompt);
  const weights = rule.oneOf.map(({ weight }) => weight ?? 1);
  return drawWeighted(weights, JSON.stringify([scenario.seed ?? 0, index, conversation.prompt, number]));
}

/** The fault for this attempt: each is used up in turn, and one without `times` never is. */
function chooseFault(faults: readonly Fault[], countAttempt: () => number): Fault | undefined {
  if (faults.length === 0) return undefined;
  let attempt = countAttempt();
  for (const fault of faults) {
    if (fault.times === undefined || attempt < fault.times) return fault;
    attempt -= fault.times;
  }
  return undefined;
}

function otherwise(scenario: Scenario, { prompt, isSubagent }: Conversation): readonly Step[] {
  if (isSubagent) return [{ say: `Done: ${prompt.split("\n", 1)[0]}` }];
  if (scenario.otherwise) return scenario.otherwise;
  const rules = scenario.rules.map(({ name }, index) => name ?? `rule ${index}`).join(", ") || "none";
  return [{ say: `The offline scenario "${scenario.name}" has no rule for this prompt. Its rules: ${rules}.` }];
}

/** Draws one of several by weight. The same key always gives the same one. */
function drawWeighted(weights: readonly number[], key: string): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const fraction = createHash("sha1").update(key).digest().readUInt32BE(0) / 2 ** 32;
  let point = fraction * total;
  const drawn = weights.findIndex((weight) => (point -= weight) < 0);
  return drawn === -1 ? weights.length - 1 : drawn;
}
