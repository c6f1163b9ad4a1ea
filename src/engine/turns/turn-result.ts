import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  NO_USAGE,
  SkeinError,
  addUsage,
  defined,
  emptyRecord,
  isoTime,
  microUsd,
  spendingOf,
  sumMicroUsd,
  sumSpending,
  toUsd,
  type Clock,
  type ModelUsage,
  type OfflineMark,
  type TurnEndEvent,
  type TurnResult,
} from "../../core/internal.ts";
import { errorFromResult, type TurnContext } from "../failures/classify-error.ts";

/** What a turn came to, from all of its results. Their totals go on across resume and fork, so money is summed from what each added. */
export function toTurnResult(
  results: readonly [SDKResultMessage, ...SDKResultMessage[]],
  context: TurnContext & {
    readonly model: string;
    readonly apiMsBefore: number;
    /** Whether an answer in the shape of a schema has to come. */
    readonly wantsOutput: boolean;
  },
): TurnResult {
  const last = results.at(-1) as SDKResultMessage;
  // A task in the background reports in a result of its own, after that of the answer.
  const answers = results.map((result) => ("structured_output" in result ? result.structured_output : undefined));
  const structuredOutput = answers.findLast((answer) => answer !== undefined);
  const hasNoAnswer = context.wantsOutput && structuredOutput === undefined;
  const error = (errorFromResult(last, context) ?? (hasNoAnswer ? noAnswer() : undefined))?.toJSON();
  const usageByModel = sumByModel(results.map(addedUsage));
  return {
    text: "result" in last ? last.result : "",
    sessionId: last.session_id,
    isError: error !== undefined,
    ...defined({ error }),
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
    ...defined({ structuredOutput }),
  };
}

/** The CLI calls it a success where the model goes on to answer in plain words. */
function noAnswer(): SkeinError {
  return new SkeinError("The model gave no answer in the requested shape", {
    kind: "parse",
    hint: "What it said is the text of the turn; ask for the fields in the prompt, or continue the session.",
  });
}

/** What a result added: the CLI says so in a field that the SDK's types leave out. Without it the total has to do. */
function addedUsage(result: SDKResultMessage): Readonly<Record<string, ModelUsage>> {
  type SdkUsage = SDKResultMessage["modelUsage"];
  const added = (result as { readonly model_usage_since_last_result?: SdkUsage }).model_usage_since_last_result;
  const usages = Object.entries(added ?? result.modelUsage).map(([model, usage]) => [
    model,
    {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadInputTokens,
      cacheWriteTokens: usage.cacheCreationInputTokens,
      costUsd: usage.costUSD,
    },
  ]);
  return Object.fromEntries(usages) as Record<string, ModelUsage>;
}

function sumByModel(parts: readonly TurnResult["usageByModel"][]): TurnResult["usageByModel"] {
  const sums = emptyRecord<ModelUsage>();
  for (const [model, usage] of parts.flatMap((part) => Object.entries(part))) {
    const before = sums[model] ?? { ...NO_USAGE, costUsd: 0 };
    const costUsd = toUsd(sumMicroUsd([microUsd(before.costUsd), microUsd(usage.costUsd)]));
    sums[model] = { ...addUsage(before, usage), costUsd };
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
  if (earlier.length === 0) return last;
  const all = [...earlier, last];
  const { costUsd, responses, turns: _, ...usage } = sumSpending(all.map(spendingOf));
  const { offline: _offline, scenario: _scenario, ...lastToo } = last;
  const answered = all.filter((attempt) => attempt.responses > 0);
  const apiMs = all.map(({ durationApiMs }) => durationApiMs).filter((ms) => ms !== undefined);
  return {
    ...lastToo,
    ...sharedMark(answered),
    sessionId: all.findLast(({ sessionId }) => sessionId !== "")?.sessionId ?? "",
    usage,
    usageByModel: sumByModel(all.map(({ usageByModel }) => usageByModel)),
    costUsd,
    durationMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...(apiMs.length > 0 ? { durationApiMs: apiMs.reduce((sum, ms) => sum + ms, 0) } : {}),
    responses,
    ...(all.some(({ isLowerBound }) => isLowerBound) ? { isLowerBound: true } : {}),
    permissionDenials: all.flatMap(({ permissionDenials }) => permissionDenials),
  };
}

/** Where one attempt was answered by a real model, money was paid. */
function sharedMark(attempts: readonly TurnResult[]): Partial<OfflineMark> {
  const [first] = attempts;
  if (first?.scenario === undefined || !attempts.every(({ offline }) => offline)) return {};
  return { offline: true, scenario: first.scenario };
}
