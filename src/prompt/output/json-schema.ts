import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

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

/** The same schema without room for what it does not name: objects take their own properties and no others. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const { properties = {}, items } = schema;
  const named = Object.entries(properties).map(([key, value]) => [key, closeSchema(value)]);
  return {
    ...schema,
    ...(schema.properties ? { properties: Object.fromEntries(named), ...closed(schema) } : {}),
    ...(items ? { items: isList(items) ? items.map(closeSchema) : closeSchema(items) } : {}),
  };
}

/** What a value has and its closed schema does not name, by path; unions and references are left to the schema's own validation. */
export function findUnnamed(schema: JsonSchema, value: unknown, path = ""): readonly string[] {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return value.flatMap((item, index) => {
      const one = isList(items) ? items[index] : items;
      return one ? findUnnamed(one, item, `${path}[${index}]`) : [];
    });
  }
  if (!properties || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = path === "" ? key : `${path}.${key}`;
    const named = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (named) return findUnnamed(named, inner, place);
    return additionalProperties === false ? [place] : [];
  });
}

/** One that says how further properties look is meant to have them; parts that come together may name each other's. */
function closed({ additionalProperties, ...rest }: JsonSchema): Partial<JsonSchema> {
  if (additionalProperties !== undefined) return { additionalProperties };
  const isOpen = ["allOf", "anyOf", "oneOf", "patternProperties", "$ref"].some((keyword) => keyword in rest);
  return isOpen ? {} : { additionalProperties: false };
}

function isList(items: NonNullable<JsonSchema["items"]>): items is readonly JsonSchema[] {
  return Array.isArray(items);
}
