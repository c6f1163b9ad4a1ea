import {
  addUsage,
  microUsd,
  sumMicroUsd,
  toUsd,
  type ModelUsage,
  type TurnResult,
  emptyRecord,
} from "../../core/index.ts";

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
