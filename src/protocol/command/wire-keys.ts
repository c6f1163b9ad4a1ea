import { z } from "zod";
import { defined } from "../../core/internal.ts";

/** Fields whose values are not Skein's: messages of the SDK, what tools take and give, and what a caller defined. */
const KEPT_WHOLE: ReadonlySet<string> = new Set(["raw", "input", "output", "structuredOutput", "data", "metadata"]);

/** Fields whose keys are names, such as those of models, or words of others. */
const KEYED_BY_NAME: ReadonlySet<string> = new Set(["usageByModel", "answers"]);

/** A key as it crosses a process: `sessionId` is `session_id`. */
export function toWireKey(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** A key as the library has it: `session_id` is `sessionId`. */
export function fromWireKey(key: string): string {
  return key.replaceAll(/_([a-z\d])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Skein's own record, such as an event, as it crosses a process. */
export function toWire(record: object): Readonly<Record<string, unknown>> {
  return rename(record, toWireKey) as Readonly<Record<string, unknown>>;
}

/** A record of Skein's from another process, as the library has it. */
export function fromWire(value: unknown): unknown {
  return rename(value, fromWireKey);
}

function rename(value: unknown, toKey: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, toKey));
  if (typeof value !== "object" || value === null) return value;
  const renamed = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const field = fromWireKey(key);
    if (KEPT_WHOLE.has(field)) return [toKey(key), inner];
    if (KEYED_BY_NAME.has(field)) return [toKey(key), mapValues(inner ?? {}, (each) => rename(each, toKey))];
    return [toKey(key), rename(inner, toKey)];
  });
  return Object.fromEntries(renamed) as unknown;
}

function mapValues(named: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value)]));
}

/**
 * A record of the library as the data of an envelope: the fields that the schema names, by their camelCase names and in all depths.
 * What a field may be null for need not be there.
 */
export function asData<Schema extends z.ZodObject>(schema: Schema, record: Recorded<z.infer<Schema>>): z.infer<Schema> {
  return pick(schema, record) as z.infer<Schema>;
}

function pick(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodNullable) return value === undefined ? null : value && pick(schema.unwrap(), value);
  if (schema instanceof z.ZodOptional) return value && pick(schema.unwrap(), value);
  if (schema instanceof z.ZodArray) return (value as readonly unknown[]).map((item) => pick(schema.element, item));
  if (schema instanceof z.ZodRecord) return mapValues(value as object, (inner) => pick(schema.valueType, inner));
  if (!(schema instanceof z.ZodObject)) return value;
  const record = value as Readonly<Record<string, unknown>>;
  const fields = Object.entries<z.core.$ZodType>(schema.shape);
  return defined(Object.fromEntries(fields.map(([key, field]) => [key, pick(field, record[fromWireKey(key)])])));
}

export type Recorded<Data> = Data extends readonly (infer Item)[]
  ? readonly Recorded<Item>[]
  : Data extends object
    ? {
        readonly [
          Key in keyof Data & string as MayBeMissing<Data[Key]> extends true ? never : FromWireKey<Key>
        ]: Recorded<Data[Key]>;
      } & {
        readonly [Key in keyof Data & string as MayBeMissing<Data[Key]> extends true ? FromWireKey<Key> : never]?:
          | Recorded<Data[Key]>
          | undefined;
      }
    : Data;

type MayBeMissing<Value> = null extends Value ? true : undefined extends Value ? true : false;

type FromWireKey<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<FromWireKey<Tail>>}`
  : Key;
