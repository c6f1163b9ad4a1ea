import { z } from "zod";
import type { BudgetTracker, SkeinError } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { toJsonSchema } from "../output/json-schema.ts";
import { describeIssues, type InputOf, type OutputOf, type StandardSchemaV1 } from "../output/standard-schema.ts";
import type { PromptSession } from "../session/prompt-session.ts";
import { usageError } from "../usage-error.ts";
import type { ToolResult } from "./tool-result.ts";

/** What a handler is given beside its parameters. */
export interface ToolContext {
  readonly session: PromptSession;
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
  /** 1 to 64 of `a-z`, `0-9`, `_` and `-`. */
  readonly name: Name;
  /** What the model is told that the tool does. */
  readonly description: string;
  readonly params: StandardSchemaV1<unknown, Params>;
  /** What the values have to be; a value that is not is an error. */
  readonly result?: StandardSchemaV1<unknown, Value>;
  readonly examples?: readonly ToolExample<unknown, Value>[];
  /** Whether a call that fails is taken back: the session's state and the files that it touched. */
  readonly isTransaction?: boolean;
  handler(params: Params, context: ToolContext): ToolResult<Value> | Promise<ToolResult<Value>>;
}

export type AnyTool = Tool;

/** What a tool is defined by; one without `params` takes none. */
export interface ToolDefinition<Name extends string, Schema extends StandardSchemaV1, Value> extends Omit<
  Tool<Name, OutputOf<Schema>, Value>,
  "params" | "examples"
> {
  /** An object, as Zod's `z.object`, or of another library that can tell its JSON Schema. */
  readonly params?: Schema;
  readonly examples?: readonly ToolExample<InputOf<Schema>, Value>[];
}

/** A schema that no key fits, for tools without parameters. */
type NoParams = StandardSchemaV1<unknown, Readonly<Record<string, never>>>;

const NAME = /^[a-z0-9_-]{1,64}$/u;
const LONGEST_DESCRIPTION = 1024;

/** Defines a tool; what is wrong with the definition is thrown here, before any agent is started. */
export function tool<const Name extends string, Schema extends StandardSchemaV1 = NoParams, Value = unknown>(
  definition: ToolDefinition<Name, Schema, Value>,
): Tool<Name, OutputOf<Schema>, Value> {
  const { name, description, result, handler, examples = [] } = definition;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw bad(name, "its name is not valid", "Use 1 to 64 of a-z, 0-9, _ and -.");
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > LONGEST_DESCRIPTION) {
    throw bad(name, "its description is empty or too long", `Describe it in 1 to ${LONGEST_DESCRIPTION} characters.`);
  }
  if (typeof handler !== "function") throw bad(name, "it has no handler", "Give it a function to call.");
  const params = definition.params ?? z.strictObject({});
  checkSchema(name, "params", params);
  if (toJsonSchema(params, `the tool ${name}`).type !== "object") {
    throw bad(name, "its parameters are not an object", "Wrap them, as in z.object({ query: z.string() }).");
  }
  if (result !== undefined) checkSchema(name, "result", result);
  for (const example of examples) checkExample(name, example, params, result);
  return { ...definition, params };
}

function checkSchema(name: string, field: string, schema: unknown): void {
  const standard = (schema as Partial<StandardSchemaV1> | null)?.["~standard"];
  if (typeof standard?.validate === "function") return;
  throw bad(name, `its ${field} are not a schema`, "Give a Zod schema, or one of another Standard Schema library.");
}

function checkExample(name: string, example: ToolExample, params: StandardSchemaV1, result?: StandardSchemaV1): void {
  const { description, input, output } = example;
  if (description.trim() === "") throw bad(name, "an example has no description", "Say what it shows.");
  const check = (part: string, schema: StandardSchemaV1, value: unknown): void => {
    const checked = schema["~standard"].validate(value);
    // A schema that has to wait is asked at each call; a definition cannot wait for it.
    if (checked instanceof Promise) return void checked.catch(() => undefined);
    if (!checked.issues) return;
    const what = `the ${part} of the example "${description}" does not fit: ${describeIssues(checked.issues)}`;
    throw bad(name, what, "Correct it.");
  };
  check("input", params, input);
  if (result && output !== undefined) check("output", result, output);
}

function bad(name: string, what: string, hint: string): SkeinError {
  return usageError(name, `The tool ${JSON.stringify(name)} cannot be used: ${what}`, hint);
}
