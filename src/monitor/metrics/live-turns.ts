import { microUsd } from "../../core/internal.ts";
import type { CountedTurn } from "../../trace/internal.ts";
import type { RunSummary } from "../runs/run-data.ts";

/** A turn that has ended and may not be in the store yet. */
export interface LiveTurn {
  readonly transitionId: string;
  readonly workspace: string;
  readonly endedAtMs: number;
  readonly model: string;
  readonly counted: CountedTurn;
}

/**
 * The turns that are between their end and their place in the store. One that is said to be recorded is only looked for there; one that
 * was cut off counts once it is recovered.
 */
export function liveTurns(runs: readonly RunSummary[]): readonly LiveTurn[] {
  return runs.flatMap((run) => {
    const { result, stateId, hasEnded, isCutOff } = run;
    if (run.kind !== "turn" || !result || result.isFolded === true) return [];
    if (stateId !== undefined || hasEnded || isCutOff) return [];
    return {
      transitionId: run.run,
      workspace: run.workspace,
      endedAtMs: Date.parse(run.updatedAt),
      model: result.model,
      counted: countTurn(result, run.tools),
    };
  });
}

function countTurn(result: NonNullable<RunSummary["result"]>, tools: RunSummary["tools"]): CountedTurn {
  const { isError, error, costUsd, scenario, durationMs, usage } = result;
  const failure = error?.kind === "cancelled" ? ("cancelled" as const) : ("failed" as const);
  return {
    ...usage,
    outcome: isError ? failure : "completed",
    ...(error ? { errorKind: error.kind } : {}),
    ...(scenario === undefined ? {} : { scenario }),
    costMicroUsd: microUsd(costUsd),
    durationMs,
    tools: Object.entries(tools).map(([tool, counts]) => ({ tool, ...counts })),
  };
}
