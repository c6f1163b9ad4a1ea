import type { JsonSchema } from "./to-json-schema.ts";

/** The same schema without room for what it does not name: objects take their own properties and no others. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties ? { properties: mapValues(properties, closeSchema), ...closed(schema) } : {}),
    ...(items ? { items: isList(items) ? items.map(closeSchema) : closeSchema(items) } : {}),
  };
}

/**
 * The paths of all that a value has and its closed schema does not name. It looks into plain objects and lists; what
 * unions and references allow is left to the schema's own validation.
 */
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

function mapValues(
  record: Readonly<Record<string, JsonSchema>>,
  map: (value: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
