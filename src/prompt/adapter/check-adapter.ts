import { SkeinError } from "../../core/index.ts";
import { PromptSession } from "../session.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter-options.ts";

/** Refuses what cannot work; the turns' own options are checked by the engine before it starts a process. */
export function checkAdapter({ workspace, cwd, record, maxRounds, toolIdleTimeoutMs }: AdapterOptions): void {
  if (workspace && (cwd !== undefined || record !== undefined)) {
    throw bad("workspace", "A workspace has its own directory and record", "Leave out cwd and record.");
  }
  if (maxRounds !== undefined && !(Number.isInteger(maxRounds) && maxRounds >= 0)) {
    throw bad("maxRounds", `maxRounds must be a whole number of 0 or more, not ${maxRounds}`, "5 is the default.");
  }
  if (toolIdleTimeoutMs !== undefined && !(toolIdleTimeoutMs > 0)) {
    throw bad("toolIdleTimeoutMs", "toolIdleTimeoutMs must be more than 0", "Leave it out for no limit.");
  }
}

/** Refuses an evaluation that cannot work. */
export function checkEvaluation(
  { session, deadline, from }: EvaluateOptions,
  { workspace, cwd }: AdapterOptions,
): void {
  if (!(session instanceof PromptSession)) {
    throw bad("session", "An evaluation needs a session", "Make one with new PromptSession().");
  }
  if (deadline !== undefined && !Number.isFinite(deadline)) {
    throw bad("deadline", "The deadline is not a time", "Give milliseconds since 1970, such as Date.now() + 60_000.");
  }
  if (from !== undefined && !workspace && cwd === undefined) {
    throw bad("from", "An empty directory has nothing to continue from", "Give the adapter a workspace or a cwd.");
  }
}

function bad(target: string, message: string, hint: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint });
}
