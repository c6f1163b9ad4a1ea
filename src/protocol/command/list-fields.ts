/** A field of a JSON Schema, in all depths. */
export interface SchemaField {
  /** `files.renamed[].from`; `{}` stands for a name: `usage_by_model{}.cost_usd`. */
  readonly path: string;
  /** What it is: `integer`, `list of string`, `"left" | "right"`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** The part of JSON Schema that our schemas make use of. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Every field of a schema with those inside it, in the order in which they are declared. */
export function listFields(schema: JsonSchema, prefix = ""): readonly SchemaField[] {
  const { properties = {}, required = [], items, additionalProperties: named } = schema;
  const own = Object.entries(properties).flatMap(([name, field]): SchemaField[] => [
    {
      path: `${prefix}${name}`,
      type: typeOf(field),
      isNullable: variantsOf(field).some(isNull),
      isRequired: required.includes(name),
      ...(field.description === undefined ? {} : { description: field.description }),
    },
    ...listFields(field, `${prefix}${name}.`),
  ]);
  const inside = (mark: string): string => `${prefix.replace(/\.$/u, "")}${mark}.`;
  return [
    ...own,
    ...(items ? listFields(items, inside("[]")) : []),
    ...(typeof named === "object" ? listFields(named, inside("{}")) : []),
    ...unionOf(schema).flatMap((part) => listFields(part, prefix)),
  ];
}

function unionOf({ anyOf = [], oneOf = [], allOf = [], prefixItems = [] }: JsonSchema): readonly JsonSchema[] {
  return [...anyOf, ...oneOf, ...allOf, ...prefixItems];
}

/** What a value may be: one schema for each type, those of a union apart. */
function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (parts.length > 0) return parts.flatMap(variantsOf);
  return Array.isArray(schema.type) ? schema.type.map((type: string) => ({ ...schema, type })) : [schema];
}

function isNull({ type, const: only }: JsonSchema): boolean {
  return type === "null" || only === null;
}

function typeOf(schema: JsonSchema): string {
  const types = variantsOf(schema)
    .filter((variant) => !isNull(variant))
    .map(nameOf);
  return [...new Set(types)].join(" | ");
}

function nameOf(schema: JsonSchema): string {
  const { type, items, additionalProperties: named, properties } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) {
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(" | ");
  }
  if (type === "array") return schema.prefixItems ? "tuple" : `list of ${items ? typeOf(items) : "anything"}`;
  if (type === "object" && !properties && typeof named === "object") {
    return Object.keys(named).length === 0 ? "object" : `object of ${typeOf(named)}`;
  }
  return typeof type === "string" ? type : "anything";
}
