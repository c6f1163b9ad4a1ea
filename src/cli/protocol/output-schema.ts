import { readFile } from "node:fs/promises";
import { SkeinError } from "../../core/index.ts";
import { textFlag } from "../common-flags.ts";

/** The flag that asks for answers in a shape. */
export const structuredOutputFlag = textFlag("schema", "A JSON Schema for the answers, as a file or as text");

/** Reads a JSON Schema from a file, or from the text itself where that begins like one. */
export async function readOutputSchema(given: string): Promise<Readonly<Record<string, unknown>>> {
  const isText = given.trimStart().startsWith("{");
  const text = isText ? given : await readSchemaFile(given);
  const target = isText ? "--structured-output" : given;
  const parsed = parse(text, target);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw wrong(target, "it is not a JSON object");
}

async function readSchemaFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new SkeinError(`The schema ${path} cannot be read: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Give the path of a JSON Schema, or the schema itself.",
      cause,
    });
  }
}

function parse(text: string, target: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrong(target, (cause as Error).message, cause);
  }
}

function wrong(target: string, why: string, cause?: unknown): SkeinError {
  return new SkeinError(`The output schema cannot be used: ${why}`, {
    kind: "parse",
    target,
    hint: 'Give a JSON Schema such as {"type":"object","properties":{"done":{"type":"boolean"}}}',
    cause,
  });
}
