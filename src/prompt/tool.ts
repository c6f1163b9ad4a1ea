import type { BudgetTracker } from "../core/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { checkTool } from "./tools/check-tool.ts";
import type { PromptSession } from "./session.ts";
import type { InputOf, OutputOf, StandardSchemaV1 } from "./standard-schema.ts";
import type { ToolResult } from "./tool-result.ts";

/** What a handler is given beside its parameters. */
export interface ToolContext {
  readonly session: PromptSession;
  /** Where the agent works. */
  readonly workspace?: Workspace;
  /** What the prompt's template brings along for its tools, by name. */
  readonly resources: Readonly<Record<string, unknown>>;
  /** When the evaluation has to be over, in milliseconds since 1970. */
  readonly deadline?: number;
  readonly budget?: BudgetTracker;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Says that the tool is still at work, so that the evaluation is not taken for stuck. */
  heartbeat(): void;
  /** The model's id of the call, as events have it. */
  readonly callId: string;
}

/** A call that shows how a tool is meant to be used. */
export interface ToolExample<Input = unknown, Value = unknown> {
  readonly description: string;
  readonly input: Input;
  readonly output?: Value;
}

/** A function of this program that the agent can call, with parameters that are checked before. */
export interface Tool<Name extends string = string, Params = unknown, Value = unknown> {
  readonly name: Name;
  readonly description: string;
  readonly params: StandardSchemaV1<unknown, Params>;
  /** What the values have to be; a value that is not is an error. */
  readonly result?: StandardSchemaV1<unknown, Value>;
  readonly examples?: readonly ToolExample<unknown, Value>[];
  /** Whether a call that fails is taken back: the session's state and the files that it touched. */
  readonly isTransaction?: boolean;
  handler(params: Params, context: ToolContext): ToolResult<Value> | Promise<ToolResult<Value>>;
}

/** A tool of whatever parameters and values. */
export type AnyTool = Tool;

/** What a tool is defined by; one without `params` takes none. */
export interface ToolDefinition<Name extends string, Schema extends StandardSchemaV1, Value> {
  /** 1 to 64 of `a-z`, `0-9`, `_` and `-`. */
  readonly name: Name;
  /** What the model is told that the tool does. */
  readonly description: string;
  /** An object, as Zod's `z.object`, or of another library that can tell its JSON Schema. */
  readonly params?: Schema;
  readonly result?: StandardSchemaV1<unknown, Value>;
  readonly examples?: readonly ToolExample<InputOf<Schema>, Value>[];
  readonly isTransaction?: boolean;
  readonly handler: (params: OutputOf<Schema>, context: ToolContext) => ToolResult<Value> | Promise<ToolResult<Value>>;
}

/** A schema that no key fits, for tools without parameters. */
type NoParams = StandardSchemaV1<unknown, Readonly<Record<string, never>>>;

/** Defines a tool; what is wrong with the definition is thrown here, before any agent is started. */
export function tool<const Name extends string, Schema extends StandardSchemaV1 = NoParams, Value = unknown>(
  definition: ToolDefinition<Name, Schema, Value>,
): Tool<Name, OutputOf<Schema>, Value> {
  return checkTool(definition);
}
