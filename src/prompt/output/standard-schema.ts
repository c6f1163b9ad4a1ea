/** A schema of any library that follows Standard Schema: Zod, Valibot, ArkType and others. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** The same as JSON Schema, where the library can tell it. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
      | undefined;
  };
}

/** What a schema makes of a value: the value as it is after parsing, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type OutputOf<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["output"];

export type InputOf<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["input"];

/** What is wrong with a value, in one line: each issue with the place it is about. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const described = issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  return described.join("; ");
}
