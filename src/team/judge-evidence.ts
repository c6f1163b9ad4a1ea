import type { Evidence } from "./evidence.ts";
import type { GateResult } from "./gates.ts";
import type { Judge } from "./team-events.ts";
import type { Verdict } from "./verdict.ts";

const MOST_OUTPUT_CHARACTERS = 3000;

/** What the evidence alone says against an item; undefined where a manager has to look at it. No words of a worker count. */
export function judgeEvidence(evidence: Evidence): { readonly by: Judge; readonly verdict: Verdict } | undefined {
  const { changes, gates, violations, unsettled, failure } = evidence;
  if (violations.length > 0) {
    const issues = violations.map((path) => `${path} is protected and was changed`);
    return against("evidence", issues, [
      "Put the protected files back as they were, and do the item without changing them",
    ]);
  }
  if (failure) return against("evidence", [`The turn failed: ${failure.message}`], ["Go on where it broke off"]);
  if (changes.length === 0) {
    return against("evidence", ["Nothing was changed: every file is as it was before"], ["Do what the item asks for"]);
  }
  if (unsettled.length > 0) {
    const issues = unsettled.map((path) => `${path} still has marks of a conflict`);
    return against("evidence", issues, ["Settle each conflict and remove its marks"]);
  }
  return judgeGates(gates);
}

/** What the gates alone say; undefined where all pass. */
export function judgeGates(
  gates: readonly GateResult[],
): { readonly by: Judge; readonly verdict: Verdict } | undefined {
  const failed = gates.filter(({ passed }) => !passed);
  if (failed.length === 0) return undefined;
  const issues = failed.map(
    ({ command, ending, output }) =>
      `The gate "${command}" failed (${ending}):\n${output.slice(-MOST_OUTPUT_CHARACTERS)}`,
  );
  return against(
    "gates",
    issues,
    failed.map(({ command }) => `Make "${command}" pass`),
  );
}

function against(by: Judge, issues: readonly string[], requiredChanges: readonly string[]) {
  return { by, verdict: { approved: false, issues: [...issues], requiredChanges: [...requiredChanges] } };
}

/** What stays the same where a worker does not get on: the files, and what is wrong with them. */
export function progressKey(filesId: string, { gates, violations, unsettled }: Evidence): string {
  const failed = gates.filter(({ passed }) => !passed).map(({ command }) => command);
  return JSON.stringify([filesId, failed, violations, unsettled]);
}
