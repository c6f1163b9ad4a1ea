import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { describeIssues } from "../output/describe-issues.ts";
import { toJsonSchema } from "../output/to-json-schema.ts";
import type { OutputOf, StandardSchemaV1 } from "../standard-schema.ts";
import type { Tool, ToolDefinition, ToolExample } from "../tool.ts";

const NAME = /^[a-z0-9_-]{1,64}$/u;
const LONGEST_DESCRIPTION = 1024;

/** A tool of its definition; what is wrong with that is a usage error that names the tool. */
export function checkTool<Name extends string, Schema extends StandardSchemaV1, Value>(
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
  if (example.description.trim() === "") throw bad(name, "an example has no description", "Say what it shows.");
  checkSample(name, `the input of the example "${example.description}"`, params, example.input);
  if (result === undefined || example.output === undefined) return;
  checkSample(name, `the output of the example "${example.description}"`, result, example.output);
}

function checkSample(name: string, what: string, schema: StandardSchemaV1, value: unknown): void {
  const checked = schema["~standard"].validate(value);
  // A schema that has to wait is asked at each call; a definition cannot wait for it.
  if (checked instanceof Promise) return void checked.catch(() => undefined);
  if (checked.issues) throw bad(name, `${what} does not fit: ${describeIssues(checked.issues)}`, "Correct it.");
}

function bad(name: string, what: string, hint: string): SkeinError {
  return new SkeinError(`The tool ${JSON.stringify(name)} cannot be used: ${what}`, {
    kind: "usage",
    target: name,
    hint,
  });
}
