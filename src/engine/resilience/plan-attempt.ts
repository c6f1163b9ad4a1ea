import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt, type ClaudePrompt } from "../prompts/claude-prompt.ts";

/** What an agent is told whose turn was interrupted after it had done something. */
export const CONTINUATION_PROMPT = "Continue where you were interrupted.";

/** Options that say where a turn starts, or what a new session is: a turn that is gone on with has started already. */
export const STARTING_POINTS: readonly string[] = [
  "continue",
  "forkSession",
  "resumeSessionAt",
  "resumeDropsTurn",
  "sessionId",
  "title",
] satisfies readonly (keyof ClaudeOptions)[];

/** What one attempt is given. */
export interface AttemptPlan {
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions;
}

/** The same turn, gone on with in its session: what was asked and attached is there already, and so is what was done. */
export function resumePlan({ options }: AttemptPlan, sessionId: string): AttemptPlan {
  return { prompt: claudePrompt({ text: CONTINUATION_PROMPT }), options: resumeOptions(options, sessionId) };
}

/** The same turn, begun again in a session that was made for it: its id cannot be given to a second one. */
export function repeatPlan({ prompt, options }: AttemptPlan, sessionId: string): AttemptPlan {
  return { prompt, options: resumeOptions(options, sessionId) };
}

/** Options for going on in a session. */
export function resumeOptions(options: ClaudeOptions, sessionId: string): ClaudeOptions {
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !STARTING_POINTS.includes(name)));
  // `forkSession` is said, so that a default of the engine does not make a second session of it.
  return { ...kept, resume: sessionId, forkSession: false };
}
