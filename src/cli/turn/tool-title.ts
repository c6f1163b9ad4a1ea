import { relative } from "node:path";
import { plainLine } from "../plain-text.ts";

/** The field of a tool's input that says best what the call is about. */
const TELLING_FIELDS = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "skill",
  "subject",
] as const;

/** What a tool call is about, in one line: the command, the file below `cwd`, the pattern. */
export function toolTitle(input: unknown, cwd: string): string {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const field = TELLING_FIELDS.find((name) => typeof fields[name] === "string");
  if (field === undefined) return "";
  const value = String(fields[field]);
  return plainLine(field.endsWith("path") ? shortenPath(value, cwd) : value);
}

function shortenPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === "" || below.startsWith("..") ? path : below;
}
