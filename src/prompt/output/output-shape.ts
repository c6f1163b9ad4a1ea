import { messageOf, SkeinError, type SkeinErrorOptions } from "../../core/internal.ts";
import { toJsonSchema, type JsonSchema } from "./json-schema.ts";
import { describeIssues, type SchemaIssue, type SchemaResult, type StandardSchemaV1 } from "./standard-schema.ts";

/** The field of the object that an answer is wrapped in, where it is no object itself. */
const FIELD = "value";

export type OutputShape<Output> = ReturnType<typeof createOutputShape<Output>>;

/** Makes the shape of a schema. Lists, texts and unions are wrapped in an object for the CLI, and taken out again. */
export function createOutputShape<Output>(schema: StandardSchemaV1<unknown, Output>, target: string) {
  const plain = toJsonSchema(schema, target);
  const isWrapped = plain.type !== "object";
  const read = async (given: unknown): Promise<SchemaResult<Output>> => {
    if (given === undefined) return failed("there is no structured answer");
    const isWrapper = typeof given === "object" && given !== null && Object.hasOwn(given, FIELD);
    if (isWrapped && !isWrapper) return failed(`expected an object with the field ${FIELD}`);
    try {
      return await schema["~standard"].validate(isWrapped ? (given as Record<string, unknown>)[FIELD] : given);
    } catch (error) {
      // A schema that throws has found something that it cannot read.
      return failed(messageOf(error));
    }
  };
  return {
    /** What the CLI is given: always an object. */
    jsonSchema: isWrapped ? wrap(plain) : plain,
    check: async (given: unknown) => (await read(given)).issues ?? [],
    /** A valid answer, or an `OutputError` that has the text and the issues; never something in between. */
    async parse(given: unknown, text: string): Promise<Output> {
      const result = await read(given);
      if (!result.issues) return result.value;
      const { issues } = result;
      throw new OutputError(`The answer to ${target} is not in its shape: ${describeIssues(issues)}`, {
        given,
        text,
        issues,
        target,
        hint: "See `text` and `issues` of this error; ask again, or loosen the schema.",
      });
    },
  };
}

function failed(message: string): { readonly issues: readonly SchemaIssue[] } {
  return { issues: [{ message }] };
}

/** References are from the root, so what they lead to moves with it. */
function wrap({ definitions = {}, ...schema }: JsonSchema): JsonSchema {
  const moved = JSON.parse(JSON.stringify({ ...(definitions as object), [FIELD]: schema }), (key, inner: unknown) =>
    key === "$ref" && inner === "#" ? `#/definitions/${FIELD}` : inner,
  ) as JsonSchema;
  return {
    type: "object",
    properties: { [FIELD]: { $ref: `#/definitions/${FIELD}` } },
    required: [FIELD],
    additionalProperties: false,
    definitions: moved,
  };
}

/** An agent's answer that is not in the shape that was asked for. */
export class OutputError extends SkeinError {
  override readonly name = "OutputError";
  readonly text: string;
  readonly issues: readonly SchemaIssue[];
  /** The answer as it was given, where it was given as data. */
  readonly given: unknown;

  constructor(
    message: string,
    options: SkeinErrorOptions & Pick<OutputError, "text" | "issues"> & { given?: unknown },
  ) {
    super(message, { ...options, kind: "parse" });
    this.text = options.text;
    this.issues = options.issues;
    this.given = options.given;
  }
}
