import { z } from "zod";

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a finite number",
  object: "an object",
  record: "a plain object",
  string: "a string",
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Says what Zod expected, as the end of a sentence that begins with "it has to be". */
export function describeExpected(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return oneOf(issue.values);
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return `at most ${String(issue.maximum)}`;
    case "invalid_format":
      return issue.format === "guid" ? "a UUID" : issue.format;
    case "invalid_union":
      // Without options it is a union that says itself what it expects.
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case "unrecognized_keys":
      // Not a sentence: the names that are known there, from which the parser takes the nearest.
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(" ") : "";
    default:
      return undefined;
  }
}

function tooSmall({ origin, minimum, inclusive }: Extract<RawIssue, { code: "too_small" }>): string {
  if (origin === "string" || origin === "array") return "non-empty";
  return inclusive ? `at least ${String(minimum)}` : `above ${String(minimum)}`;
}

function oneOf(values: readonly unknown[]): string {
  const words = values.filter((value) => value !== undefined).map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(", ")}`;
}
