import type { Fault } from "./fault.ts";

/** A script for the offline model: the first rule that matches a request answers it. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  /** Where weighted alternatives draw from; the same seed gives the same rollouts. */
  readonly seed?: number;
  readonly rules: readonly Rule[];
  /** What is answered when no rule matches; without it the answer names the rules there are. */
  readonly otherwise?: readonly Step[];
}

/** When to answer, and what. */
export interface Rule {
  /** A name for messages about this rule. */
  readonly name?: string;
  /** Every condition given must hold; none means always. */
  readonly when?: Condition;
  /** The script; in TypeScript it may be computed from the conversation. */
  readonly steps?: readonly Step[] | ((context: Context) => readonly Step[]);
  /** Instead of `steps`: scripts of which each rollout draws one. */
  readonly oneOf?: readonly Alternative[];
}

/** One of several scripts, drawn by weight. */
export interface Alternative {
  /** 1 unless said otherwise. */
  readonly weight?: number;
  readonly steps: readonly Step[];
}

/** What a request must look like. A string is a regular expression, matched without regard to case. */
export interface Condition {
  /** The latest user prompt; groups of the expression can be used in texts. */
  readonly prompt?: string | RegExp | ((prompt: string) => boolean);
  /** Tools that must all be offered. */
  readonly tools?: readonly string[];
  readonly model?: string | RegExp;
  readonly system?: string | RegExp;
  /** True for sub-agents only, false for the main conversation only. */
  readonly subagent?: boolean;
}

/** A text of a script: `{{cwd}}`, `{{prompt}}`, `{{result}}`, `{{1}}` and `{{name}}` are filled in. */
export type Text = string | ((context: Context) => string);

/** A tool to call; strings inside `input` are filled in as texts are. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One step of a script. A step that calls tools ends a response; the next response begins after their results. */
export type Step =
  | { readonly say: Text }
  | { readonly think: Text }
  | { readonly call: ToolCall | readonly ToolCall[] }
  | { readonly output: unknown }
  | { readonly fail: Fault }
  | { readonly end: StopReason };

/** Why a response ends, in the API's words. */
export type StopReason = "end_turn" | "max_tokens" | "refusal" | "stop_sequence";

/** What a script can see of the conversation it is in. */
export interface Context {
  readonly prompt: string;
  /** The working directory that the CLI told the model; empty where it told none. */
  readonly cwd: string;
  /** The text of the latest tool result; empty before the first. */
  readonly result: string;
  /** Every tool result since the prompt, oldest first. */
  readonly results: readonly ToolResult[];
  /** What the rule's expression captured, by number and by name. */
  readonly captures: Readonly<Record<string, string>>;
  readonly tools: readonly string[];
  readonly model: string;
}

/** What a tool gave back. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Gives a scenario its type; what it says is checked when it is served. */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario;
}
