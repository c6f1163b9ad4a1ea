import { defined, messageOf, toSkeinError } from "../../core/internal.ts";
import type { ClaudeOptions } from "../../engine/internal.ts";
import { describeIssues } from "../output/standard-schema.ts";
import { toCall } from "../tools/tool-bridge.ts";
import type { PolicyContext, ToolCall, ToolOutcome } from "../tools/tool-policy.ts";
import type { Evaluation } from "./evaluation.ts";

type Hooks = NonNullable<ClaudeOptions["hooks"]>;
type Hook = NonNullable<Hooks["Stop"]>[number]["hooks"][number];
type HookInput = Parameters<Hook>[0];
type HookReply = Awaited<ReturnType<Hook>>;
type OfEvent<Event extends HookInput["hook_event_name"]> = Extract<HookInput, { hook_event_name: Event }>;

/** A transaction may have to wait for a call that takes long; the evaluation's own deadline is what ends that. */
const LONGEST_WAIT_S = 24 * 60 * 60;

/** The CLI's own tool for an answer in a given shape. */
const OUTPUT_TOOL = "StructuredOutput";

/** What Claude Code asks and tells at each moment: limits, policies, transactions, completion, for native and bridged tools alike. */
export function createEvaluationHooks(evaluation: Evaluation): Hooks {
  const on = <Event extends HookInput["hook_event_name"]>(answer: (input: OfEvent<Event>) => Promise<HookReply>) => [
    { timeout: LONGEST_WAIT_S, hooks: [async (input: HookInput) => await answer(input as OfEvent<Event>)] },
  ];
  return {
    PreToolUse: on<"PreToolUse">((input) => beforeCall(evaluation, callOf(input))),
    PostToolUse: on<"PostToolUse">(async (input) => {
      const call = callOf(input);
      await afterCall(evaluation, call, { isError: false, output: shown(input.tool_response) });
      if (evaluation.openings.note(evaluation.log.valueOf(call.callId)))
        return { continue: false, stopReason: `${call.tool} ends the turn.` };
      const { stopOnStructuredOutput = true } = evaluation.adapter;
      const isAnswer = stopOnStructuredOutput && input.tool_name === OUTPUT_TOOL && input.agent_id === undefined;
      return isAnswer ? { continue: false, stopReason: "The answer was given." } : {};
    }),
    PostToolUseFailure: on<"PostToolUseFailure">(async (input) => {
      await afterCall(evaluation, callOf(input), { isError: true, output: input.error });
      return {};
    }),
    Stop: on<"Stop">(async ({ last_assistant_message: text }) => {
      // After an answer in a shape, the checkers have been asked already.
      const hasAnswer = evaluation.log.ended.some(({ tool, isError }) => tool === OUTPUT_TOOL && !isError);
      const reason = hasAnswer ? undefined : await evaluation.gate.ask(defined({ text }));
      return reason === undefined ? {} : { decision: "block", reason };
    }),
  };
}

/** Ends a call: what a failed transaction did is taken back before anybody is told of it. */
export async function afterCall(
  evaluation: Evaluation,
  call: ToolCall,
  outcome: ToolOutcome & { readonly isDenied?: boolean },
): Promise<void> {
  const { transactions, log, policies, ending } = evaluation;
  await transactions.end(call.callId, outcome.isError).catch((error: unknown) => ending.fail(toSkeinError(error)));
  if (!log.end(call, outcome)) return;
  for (const policy of policies) policy.noted?.(call, outcome, policyContext(evaluation));
}

async function beforeCall(evaluation: Evaluation, call: ToolCall): Promise<HookReply> {
  const { log, transactions, limits, ending } = evaluation;
  log.begin(call);
  // The answer uses nothing more up, and without it all that was used would be lost.
  if (!call.isBridged && call.tool === OUTPUT_TOOL) {
    const refusal = await refuseAnswer(evaluation, call.input);
    return refusal === undefined ? {} : await deny(evaluation, call, refusal);
  }
  try {
    await transactions.begin(call, ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) ending.fail(toSkeinError(error));
    return await deny(evaluation, call, "The call could not be made a transaction.");
  }
  const end = limits.exhausted();
  if (end) {
    ending.exhausted ??= end;
    const reason = `The evaluation is over: its ${end.dimension} is used up.`;
    return { ...(await deny(evaluation, call, reason)), continue: false, stopReason: reason };
  }
  const denied = await firstDenial(evaluation, call);
  if (denied !== undefined) return await deny(evaluation, call, denied);
  return call.isBridged ? decide("allow") : {};
}

async function firstDenial(evaluation: Evaluation, call: ToolCall): Promise<string | undefined> {
  for (const policy of evaluation.policies) {
    try {
      const denial = await policy.check(call, policyContext(evaluation));
      if (denial) return denial.denied;
    } catch (error) {
      return `${call.tool} was denied, because the policy ${policy.name} failed: ${messageOf(error)}`;
    }
  }
  return undefined;
}

function policyContext({ options, workspace, ending, log }: Evaluation): PolicyContext {
  return { session: options.session, cwd: workspace.path, calls: log.ended, signal: ending.signal };
}

async function deny({ transactions, log }: Evaluation, call: ToolCall, reason: string): Promise<HookReply> {
  await transactions.end(call.callId, false);
  log.end(call, { isError: true, isDenied: true, output: reason });
  return decide("deny", reason);
}

function decide(permissionDecision: "allow" | "deny", permissionDecisionReason?: string): HookReply {
  const reason = defined({ permissionDecisionReason });
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...reason } };
}

/**
 * Why the agent is to answer again: the whole schema or a checker does not accept the answer. It is asked before the CLI takes
 * it, because the CLI ends the turn with an answer that it took, whatever a hook says afterwards.
 */
async function refuseAnswer({ shape, gate }: Evaluation, given: unknown): Promise<string | undefined> {
  if (!shape) return undefined;
  const issues = await shape.check(given);
  if (issues.length === 0) return await gate.ask({ output: await shape.parse(given, "") });
  return gate.sendBack(`The answer is not valid: ${describeIssues(issues)}. Give it again.`);
}

function callOf(input: OfEvent<"PreToolUse" | "PostToolUse" | "PostToolUseFailure">): ToolCall {
  return toCall(input.tool_name, input.tool_input, input.tool_use_id);
}

/** The text of content blocks; whatever else a tool gives stays as it is. */
function shown(response: unknown): unknown {
  if (!Array.isArray(response)) return response;
  const texts = response.map((block: { readonly text?: unknown } | null) => block?.text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : response;
}
