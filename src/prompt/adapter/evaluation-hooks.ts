import { toSkeinError, type BudgetEnd, type SkeinError } from "../../core/index.ts";
import type { ClaudeOptions } from "../../engine/index.ts";
import { describeIssues } from "../output/describe-issues.ts";
import type { OutputShape } from "../output/output-shape.ts";
import type { PolicyContext, ToolCall, ToolPolicy } from "../tool-policy.ts";
import { ownName } from "../tools/bridged-name.ts";
import type { CallTransactions } from "../transactions/call-transactions.ts";
import type { CallLog } from "./call-log.ts";
import type { CompletionGate } from "./completion-gate.ts";
import type { Limits } from "./limits.ts";

type Hooks = NonNullable<ClaudeOptions["hooks"]>;
type Hook = NonNullable<Hooks["Stop"]>[number]["hooks"][number];
type HookInput = Parameters<Hook>[0];
type HookReply = Awaited<ReturnType<Hook>>;
type OfEvent<Event extends HookInput["hook_event_name"]> = Extract<HookInput, { hook_event_name: Event }>;

/** What the hooks of one evaluation work with. */
export interface HookParts {
  readonly log: CallLog;
  readonly transactions: CallTransactions;
  readonly policies: readonly ToolPolicy[];
  readonly policyContext: Omit<PolicyContext, "calls">;
  readonly limits: Limits;
  readonly gate: CompletionGate;
  readonly shape: OutputShape<unknown> | undefined;
  readonly stopOnStructuredOutput: boolean;
  /** Told of the values of bridged calls; true for one that the turn ends with. */
  readonly onValue: (value: unknown) => boolean;
  /** Told that the evaluation ends because something has run out. */
  readonly onExhausted: (end: BudgetEnd) => void;
  /** Told of what must not be passed over: a transaction that could not be begun or taken back. */
  readonly onFailure: (error: SkeinError) => void;
}

/** A transaction may have to wait for a call that takes long; the evaluation's own deadline is what ends that. */
const LONGEST_WAIT_S = 24 * 60 * 60;

/** The CLI's own tool for an answer in a given shape. */
const OUTPUT_TOOL = "StructuredOutput";

/** What Claude Code asks and tells at each moment: limits, policies, transactions, completion, for native and bridged tools alike. */
export function createEvaluationHooks(parts: HookParts): Hooks {
  const on = <Event extends HookInput["hook_event_name"]>(
    answer: (input: OfEvent<Event>) => Promise<HookReply>,
  ): NonNullable<Hooks["Stop"]> => [
    { timeout: LONGEST_WAIT_S, hooks: [async (input) => await answer(input as OfEvent<Event>)] },
  ];
  return {
    PreToolUse: on<"PreToolUse">((input) => beforeCall(parts, toCall(input))),
    PostToolUse: on<"PostToolUse">(async (input) => {
      const call = toCall(input);
      await afterCall(parts, call, { isError: false, output: shown(input.tool_response) });
      if (parts.onValue(parts.log.valueOf(call.callId)))
        return { continue: false, stopReason: `${call.tool} ends the turn.` };
      const isAnswer = parts.stopOnStructuredOutput && input.tool_name === OUTPUT_TOOL && input.agent_id === undefined;
      return isAnswer ? { continue: false, stopReason: "The answer was given." } : {};
    }),
    PostToolUseFailure: on<"PostToolUseFailure">(async (input) => {
      await afterCall(parts, toCall(input), { isError: true, output: input.error });
      return {};
    }),
    Stop: on<"Stop">(async ({ last_assistant_message: text }) => {
      // After an answer in a shape, the checkers have been asked already.
      const hasAnswer = parts.log.ended.some(({ tool, isError }) => tool === OUTPUT_TOOL && !isError);
      const reason = hasAnswer ? undefined : await parts.gate.ask(text === undefined ? {} : { text });
      return reason === undefined ? {} : { decision: "block", reason };
    }),
  };
}

/** Ends a call: what a failed transaction did is taken back before anybody is told of it. */
export async function afterCall(
  { transactions, log, policies, policyContext, onFailure }: HookParts,
  call: ToolCall,
  outcome: { readonly isError: boolean; readonly output: unknown; readonly isDenied?: boolean },
): Promise<void> {
  await transactions.end(call.callId, outcome.isError).catch((error: unknown) => onFailure(toSkeinError(error)));
  if (!log.end(call, outcome)) return;
  for (const policy of policies) policy.noted?.(call, outcome, { ...policyContext, calls: log.ended });
}

async function beforeCall(parts: HookParts, call: ToolCall): Promise<HookReply> {
  const { log, transactions, policyContext, limits, onExhausted, onFailure } = parts;
  log.begin(call);
  // The answer uses nothing more up, and without it all that was used would be lost.
  if (!call.isBridged && call.tool === OUTPUT_TOOL) {
    const refusal = await refuseAnswer(parts, call.input);
    return refusal === undefined ? {} : await deny(parts, call, refusal);
  }
  try {
    await transactions.begin(call, policyContext.signal);
  } catch (error) {
    if (!policyContext.signal.aborted) onFailure(toSkeinError(error));
    return await deny(parts, call, "The call could not be made a transaction.");
  }
  const end = limits.exhausted();
  if (end) {
    onExhausted(end);
    const reason = `The evaluation is over: its ${end.dimension} is used up.`;
    return { ...(await deny(parts, call, reason)), continue: false, stopReason: reason };
  }
  const denied = await firstDenial(parts, call);
  if (denied !== undefined) return await deny(parts, call, denied);
  return call.isBridged ? decide("allow") : {};
}

async function firstDenial({ policies, policyContext, log }: HookParts, call: ToolCall): Promise<string | undefined> {
  for (const policy of policies) {
    try {
      const denial = await policy.check(call, { ...policyContext, calls: log.ended });
      if (denial) return denial.denied;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `${call.tool} was denied, because the policy ${policy.name} failed: ${reason}`;
    }
  }
  return undefined;
}

async function deny(parts: HookParts, call: ToolCall, reason: string): Promise<HookReply> {
  await parts.transactions.end(call.callId, false);
  parts.log.end(call, { isError: true, isDenied: true, output: reason });
  return decide("deny", reason);
}

function decide(permissionDecision: "allow" | "deny", permissionDecisionReason?: string): HookReply {
  const reason = permissionDecisionReason === undefined ? {} : { permissionDecisionReason };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...reason } };
}

/**
 * Why the agent is to answer again: the whole schema or a checker does not accept the answer. It is asked before the CLI takes
 * it, because the CLI ends the turn with an answer that it took, whatever a hook says afterwards.
 */
async function refuseAnswer({ shape, gate }: HookParts, given: unknown): Promise<string | undefined> {
  if (!shape) return undefined;
  const issues = await shape.check(given);
  if (issues.length === 0) return await gate.ask({ output: await shape.parse(given, "") });
  return gate.sendBack(`The answer is not valid: ${describeIssues(issues)}. Give it again.`);
}

function toCall(input: {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
}): ToolCall {
  const { tool_name: called, tool_input: given, tool_use_id: callId } = input;
  return { ...ownName(called), input: given as ToolCall["input"], callId };
}

/** The text of content blocks; whatever else a tool gives stays as it is. */
function shown(response: unknown): unknown {
  if (!Array.isArray(response)) return response;
  const texts = response.map((block: { readonly text?: unknown } | null) => block?.text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : response;
}
