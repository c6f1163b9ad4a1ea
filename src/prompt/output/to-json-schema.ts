import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { StandardSchemaV1 } from "../standard-schema.ts";

/** A JSON Schema, as far as it is looked into here. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly [keyword: string]: unknown;
}

/** A schema of any library as JSON Schema; one that cannot be told as such is a usage error that names `target`. */
export function toJsonSchema(schema: StandardSchemaV1, target: string): JsonSchema {
  const standard = schema["~standard"];
  try {
    const { $schema: _, ...json } = standard.jsonSchema
      ? standard.jsonSchema.input({ target: "draft-07" })
      : zodSchema(schema, standard.vendor);
    return json;
  } catch (cause) {
    throw new SkeinError(`The schema of ${target} cannot be expressed as JSON Schema: ${(cause as Error).message}`, {
      kind: "usage",
      target,
      hint: "Use what JSON can hold: objects, arrays, strings, numbers, booleans, null, and unions of them.",
      cause,
    });
  }
}

/** Zod's smaller editions have no converter of their own, but the same insides. */
function zodSchema(schema: StandardSchemaV1, vendor: string): Record<string, unknown> {
  if (vendor === "zod") return z.toJSONSchema(schema as unknown as z.ZodType, { io: "input", target: "draft-07" });
  throw new Error(`${vendor} does not say how (~standard.jsonSchema)`);
}
