import { z } from "zod";
import { nearestName } from "../engine/internal.ts";
import type { JsonPath, TextPosition } from "./locate-json.ts";

/** Something in a configuration file, or in a variable, that cannot hold. */
export interface ConfigMistake extends Partial<TextPosition> {
  /** The file; of a variable its name. */
  readonly path: string;
  /** The key as it is written: `permissions.mode`, `plugins[0].module`; empty where it is the whole file. */
  readonly key: string;
  /** What is wrong, as a sentence without its place. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** What one issue of the schema says, by the value it is about. */
export interface SchemaMistake extends Pick<ConfigMistake, "message" | "hint"> {
  readonly path: JsonPath;
  /** Whether it is about the key, not its value. */
  readonly isAboutKey: boolean;
}

/** All that the schema has against a value, each in words for the person who wrote it. */
export function schemaMistakes(schema: z.ZodType, value: unknown): readonly SchemaMistake[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error ? error.issues.flatMap((issue) => describeIssue(issue, { schema, prefix: [] })) : [];
}

/** A way as people write it: `plugins[0].module`. */
export function keyText(path: JsonPath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./u, "");
}

interface Around {
  readonly schema: z.ZodType;
  readonly prefix: JsonPath;
}

function describeIssue(issue: z.core.$ZodIssue, around: Around): readonly SchemaMistake[] {
  const path = [...around.prefix, ...(issue.path as JsonPath)];
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(around.schema, path);
    return issue.keys.map((key) => ({ path: [...path, key], isAboutKey: true, ...unknownKey(key, known) }));
  }
  if (issue.code === "invalid_union") return describeUnion(issue, { ...around, prefix: path });
  if (issue.code === "invalid_type" && issue.input === undefined) {
    return [{ path: path.slice(0, -1), isAboutKey: false, message: `${keyText(path.slice(-1))} is missing here` }];
  }
  if (issue.code === "custom") return [{ path, isAboutKey: false, message: `${keyText(path)}: ${issue.message}` }];
  const shown = JSON.stringify(issue.input) ?? "nothing";
  const message = `${keyText(path) || "The file"} must be ${expected(issue)}, not ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
  return [{ path, isAboutKey: false, message, ...valueHint(issue) }];
}

function unknownKey(key: string, known: readonly string[]): Pick<SchemaMistake, "message" | "hint"> {
  const isPart = (name: string): boolean => key.length > 3 && name.toLowerCase().includes(key.toLowerCase());
  const nearest = nearestName(key, known) ?? known.find(isPart);
  const hint = nearest === undefined ? `It takes ${known.join(", ")}.` : `Did you mean ${JSON.stringify(nearest)}?`;
  return { message: `There is no key ${JSON.stringify(key)} here`, hint };
}

/** Of several shapes, the one that a value is meant to have is the one whose type it has. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, around: Around): readonly SchemaMistake[] {
  const meant = issue.errors.find(
    (issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  if (meant) return meant.flatMap((inner) => describeIssue(inner, around));
  const shapes = issue.errors.flatMap(([first]) => (first ? [expected(first)] : []));
  const message = `${keyText(around.prefix)} must be ${shapes.join(" or ")}, not ${JSON.stringify(issue.input)}`;
  return [{ path: around.prefix, isAboutKey: false, message }];
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.join(", ")}`;
    case "too_small":
      if (issue.origin === "string") return "a text that is not empty";
      return `${numberKind(issue)} ${issue.inclusive === false ? "above" : "of at least"} ${String(issue.minimum)}`;
    case "too_big":
      return `${numberKind(issue)} of at most ${String(issue.maximum)}`;
    default:
      return issue.message;
  }
}

function numberKind({ origin }: { readonly origin: string }): string {
  return origin === "int" ? "a whole number" : "a number";
}

function valueHint(issue: z.core.$ZodIssue): { readonly hint?: string } {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return {};
  const nearest = nearestName(issue.input, issue.values.map(String));
  return nearest === undefined ? {} : { hint: `Did you mean ${JSON.stringify(nearest)}?` };
}

/** The keys that an object may have at some place. */
function keysAt(schema: z.ZodType, path: JsonPath): readonly string[] {
  let at: z.core.$ZodType | undefined = schema;
  for (const part of path) at = at && schemaOf(unwrapped(at), part);
  const found = at && objectIn(unwrapped(at));
  return found ? Object.keys(found.shape) : [];
}

function schemaOf(schema: z.core.$ZodType, part: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  const object = objectIn(schema);
  return object && typeof part === "string" ? (object.shape as Record<string, z.core.$ZodType>)[part] : undefined;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  return schema;
}

function objectIn(schema: z.core.$ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (!(schema instanceof z.ZodUnion)) return undefined;
  return schema.options.find((option): option is z.ZodObject => option instanceof z.ZodObject);
}
