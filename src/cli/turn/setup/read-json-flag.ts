import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SkeinError, toSkeinError } from "../../../core/internal.ts";
import { parseClaudeOptions, type ClaudeOptions } from "../../../engine/internal.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads what a flag was given as a JSON object: the object itself, its text, or the file that has it. The error names the flag. */
export async function readJsonFlag(flag: string, given: string | JsonObject, example: string): Promise<JsonObject> {
  if (typeof given !== "string") return given;
  const isText = isInlineJson(given);
  const text = isText ? given : await readFlagFile(flag, given, example);
  const from = isText ? "" : `${given}: `;
  const wrong = (why: string, cause?: unknown): SkeinError =>
    new SkeinError(`${flag} cannot be read as JSON: ${from}${why}`, {
      kind: "parse",
      target: flag,
      hint: `It takes a file, or JSON such as ${example}`,
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The parser's own words quote the text, which may hold keys.
    throw wrong(placeOf(cause as Error), undefined);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw wrong("it is not an object");
}

/** Whether a text is JSON itself and no path. */
function isInlineJson(given: string): boolean {
  return /^\s*[{[]/u.test(given);
}

function placeOf({ message }: Error): string {
  const place = /at position \d+(?: \(line \d+ column \d+\))?/u.exec(message)?.[0];
  return place === undefined ? "it ends too early" : `there is a mistake ${place}`;
}

async function readFlagFile(flag: string, path: string, example: string): Promise<string> {
  try {
    return await readFile(resolve(path), "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read: ${message}`;
    throw new SkeinError(`${flag}: ${why}`, {
      kind: "filesystem",
      target: flag,
      hint: `Give the path of a JSON file, or JSON such as ${example}`,
      cause,
    });
  }
}

/** Checks options that a flag stands for by the engine's own rules, and gives them; the error names the flag. */
export function checkedOptions(flag: string, options: object, example: string): ClaudeOptions {
  try {
    return parseClaudeOptions(options);
  } catch (error) {
    const { message, hint } = toSkeinError(error);
    const what = `It takes JSON such as ${example}`;
    throw new SkeinError(`${flag}: ${message}`, {
      kind: "parse",
      target: flag,
      hint: hint?.startsWith("Did you mean") ? hint : what,
    });
  }
}
