import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  NO_USAGE,
  addUsage,
  emptyRecord,
  isoTime,
  microUsd,
  sumMicroUsd,
  toUsd,
  type Clock,
  type ModelUsage,
  type TurnEndEvent,
  type TurnResult,
} from "../../core/index.ts";
import { errorFromResult, type TurnContext } from "../failures/classify-error.ts";

type SdkModelUsage = SDKResultMessage["modelUsage"];

/**
 * What a turn came to, from all of its result messages: one, or more where background tasks reported later. Their
 * totals go on across resume and fork, so the money is added up from what each says it added.
 */
export function toTurnResult(
  results: readonly [SDKResultMessage, ...SDKResultMessage[]],
  context: TurnContext & { readonly model: string; readonly apiMsBefore: number },
): TurnResult {
  const last = results.at(-1) as SDKResultMessage;
  const error = errorFromResult(last, context)?.toJSON();
  const usageByModel = sumByModel(results.map(addedUsage));
  return {
    text: "result" in last ? last.result : "",
    sessionId: last.session_id,
    isError: last.is_error,
    ...(error ? { error } : {}),
    subtype: last.subtype,
    uuid: last.uuid,
    ...(last.stop_reason ? { stopReason: last.stop_reason } : {}),
    ...(last.terminal_reason ? { terminalReason: last.terminal_reason } : {}),
    usage: Object.values(usageByModel).reduce(addUsage, NO_USAGE),
    usageByModel,
    costUsd: toUsd(sumMicroUsd(Object.values(usageByModel).map(({ costUsd }) => microUsd(costUsd)))),
    durationMs: results.reduce((sum, { duration_ms: duration }) => sum + duration, 0),
    // The CLI adds it up over all turns of its process.
    durationApiMs: Math.max(0, last.duration_api_ms - context.apiMsBefore),
    responses: results.reduce((sum, { num_turns: responses }) => sum + responses, 0),
    model: context.model,
    permissionDenials: results.flatMap(({ permission_denials: denials }) =>
      denials.map((denial) => ({ tool: denial.tool_name, toolUseId: denial.tool_use_id, input: denial.tool_input })),
    ),
    ...("structured_output" in last && last.structured_output !== undefined
      ? { structuredOutput: last.structured_output }
      : {}),
  };
}

/** What a result added: the CLI says so in a field that the SDK's types leave out. Without it the total has to do. */
function addedUsage(result: SDKResultMessage): SdkModelUsage {
  const added = (result as { readonly model_usage_since_last_result?: SdkModelUsage }).model_usage_since_last_result;
  return added ?? result.modelUsage;
}

function sumByModel(parts: readonly SdkModelUsage[]): Readonly<Record<string, ModelUsage>> {
  const sums = emptyRecord<ModelUsage>();
  for (const [model, usage] of parts.flatMap((part) => Object.entries(part))) {
    const one = {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadInputTokens,
      cacheWriteTokens: usage.cacheCreationInputTokens,
    };
    const before = sums[model] ?? { ...NO_USAGE, costUsd: 0 };
    const costUsd = toUsd(sumMicroUsd([microUsd(before.costUsd), microUsd(usage.costUSD)]));
    sums[model] = { ...addUsage(before, one), costUsd };
  }
  return sums;
}

/** The end of a turn whose result is known without the CLI. */
export function turnEnd(result: TurnResult, clock: Clock): TurnEndEvent {
  const sessionId = result.sessionId === "" ? {} : { sessionId: result.sessionId };
  return { type: "turn-end", timestamp: isoTime(clock.now()), ...sessionId, result };
}

/** The result of a turn that took several attempts: what it cost is added up, what it came to is the last one's. */
export function addResults(earlier: readonly TurnResult[], last: TurnResult): TurnResult {
  return earlier.toReversed().reduce((sum, result) => {
    return {
      ...sum,
      sessionId: sum.sessionId || result.sessionId,
      usage: addUsage(result.usage, sum.usage),
      usageByModel: addByModel(result.usageByModel, sum.usageByModel),
      costUsd: addUsd(result.costUsd, sum.costUsd),
      durationMs: result.durationMs + sum.durationMs,
      ...addApiMs(result, sum),
      responses: result.responses + sum.responses,
      ...(result.isLowerBound || sum.isLowerBound ? { isLowerBound: true } : {}),
      permissionDenials: [...result.permissionDenials, ...sum.permissionDenials],
    };
  }, last);
}

function addApiMs({ durationApiMs: left }: TurnResult, { durationApiMs: right }: TurnResult): Partial<TurnResult> {
  return left === undefined && right === undefined ? {} : { durationApiMs: (left ?? 0) + (right ?? 0) };
}

function addByModel(left: TurnResult["usageByModel"], right: TurnResult["usageByModel"]): TurnResult["usageByModel"] {
  const sums = Object.assign(emptyRecord<ModelUsage>(), left);
  for (const [model, usage] of Object.entries(right)) {
    const before = sums[model];
    sums[model] = before ? { ...addUsage(before, usage), costUsd: addUsd(before.costUsd, usage.costUsd) } : usage;
  }
  return sums;
}

function addUsd(left: number, right: number): number {
  return toUsd(sumMicroUsd([microUsd(left), microUsd(right)]));
}
