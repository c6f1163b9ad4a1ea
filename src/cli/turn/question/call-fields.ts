import type { BodyLine, Fact } from "./described-call.ts";

/** The fields of an input that have no place of their own yet. */
export function otherFacts(input: Readonly<Record<string, unknown>>, shown: readonly string[]): readonly Fact[] {
  return Object.entries(input).flatMap(([name, value]) => {
    if (shown.includes(name) || value === undefined) return [];
    if (name === "description") return [{ name: "The agent says", value: textOf(value) }];
    return [{ name, value: textOf(value) }];
  });
}

/** A text as the lines it has. */
export function toLines(text: unknown): readonly BodyLine[] {
  return textOf(text)
    .split("\n")
    .map((line) => ({ text: line }));
}

/** A field as text: what is none as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}
