import type { PromptSession } from "../session/prompt-session.ts";

/** A call of a tool, native or bridged. */
export interface ToolCall {
  /** The tool's name: `Write`, or that of a bridged tool without its prefix. */
  readonly tool: string;
  /** Whether it is a tool of the prompt, and not one of Claude Code's own. */
  readonly isBridged: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  readonly callId: string;
}

/** What became of a call. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** What the model was shown. */
  readonly output: unknown;
}

export interface EndedCall extends ToolCall, ToolOutcome {}

/** What a policy may look at. */
export interface PolicyContext {
  readonly session: PromptSession;
  /** Where the agent works: what relative paths begin from. */
  readonly cwd: string;
  /** The calls of this evaluation that are over, oldest first. */
  readonly calls: readonly EndedCall[];
  readonly signal: AbortSignal;
}

type Denial = { readonly denied: string };

/** A rule about tool calls, native and bridged alike. What it throws counts as a denial. */
export interface ToolPolicy {
  readonly name: string;
  /** Asked before each call. Why it is `denied` the model reads as the tool's result. */
  check(call: ToolCall, context: PolicyContext): Denial | undefined | Promise<Denial | undefined>;
  /** Told of each call that is over. */
  noted?(call: ToolCall, outcome: ToolOutcome, context: PolicyContext): void;
}
