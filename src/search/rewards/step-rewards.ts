import type { FileChange } from "../../snapshot/index.ts";
import type { StepOutcome } from "../environment.ts";
import type { RewardFunction } from "./reward.ts";
import { defined } from "../../core/internal.ts";

/** A step that knows what it did to the files. A `Transition` of the trace is one. */
export interface FileStep {
  filesChanged(): Promise<readonly FileChange[]>;
  /** As a unified patch. */
  patch(): Promise<string>;
}

/** The less it cost, the better: minus the dollars. */
export function costReward(): RewardFunction<unknown, StepOutcome> {
  return ({ transition }) => negative(transition.execution.costUsd);
}

/** The faster, the better: minus the seconds. */
export function durationReward(): RewardFunction<unknown, StepOutcome> {
  return ({ transition }) => negative(transition.execution.durationMs / 1000);
}

/** 1 where no tool call failed or was denied, else 0. */
export function noToolErrors(): RewardFunction<unknown, StepOutcome> {
  return ({ transition }) => (transition.hasToolErrors() ? 0 : 1);
}

/** The smaller the change, the better: minus the lines, or the files, that were added, removed or changed. */
export function diffSize(unit: "lines" | "files" = "lines"): RewardFunction<unknown, FileStep> {
  return async ({ transition }) => {
    const files = (await transition.filesChanged()).length;
    const lines = unit === "lines" ? countChangedLines(await transition.patch()) : undefined;
    return { value: negative(lines ?? files), parts: { files, ...defined({ lines }) } };
  };
}

/** The added and removed lines of a unified patch. Heads of files are told from them by where they stand. */
function countChangedLines(patch: string): number {
  let count = 0;
  let old = 0;
  let fresh = 0;
  for (const line of patch.split("\n")) {
    const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (head) [old, fresh] = [Number(head[1] ?? 1), Number(head[2] ?? 1)];
    else if (old > 0 || fresh > 0) {
      const isOld = !line.startsWith("+") && !line.startsWith("\\");
      const isFresh = !line.startsWith("-") && !line.startsWith("\\");
      if (isOld !== isFresh) count += 1;
      if (isOld) old -= 1;
      if (isFresh) fresh -= 1;
    }
  }
  return count;
}

/** Minus zero is not what anybody wants to read. */
function negative(amount: number): number {
  return amount === 0 ? 0 : -amount;
}
