import type { PromptSession } from "./session.ts";

/** What there is to check when the agent wants to stop. */
export interface CompletionContext {
  readonly session: PromptSession;
  /** Where the agent works. */
  readonly path: string;
  /** The answer in the prompt's shape, where it was given already. */
  readonly output?: unknown;
  /** The agent's last words. */
  readonly text?: string;
  readonly signal: AbortSignal;
}

/** Whether the task is done; the feedback is what the agent is told where it is not. */
export interface Completion {
  readonly complete: boolean;
  readonly feedback?: string;
}

/** Decides whether an agent may stop. */
export interface CompletionChecker {
  check(context: CompletionContext): Completion | Promise<Completion>;
}
