import { relative } from "node:path";
import type { ToolEndEvent } from "../core/internal.ts";
import { formatDuration } from "./format.ts";
import { plainLine } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";
import { fitLine } from "./width.ts";

/** A tool call that has ended: a line for people, and below it why, where it failed. */
export function toolLine(end: ToolEndEvent, title: string, terminal: Terminal): string {
  const { colors, columns } = terminal;
  const indent = end.parentToolUseId === undefined ? "  " : "    ";
  const outcome = end.isDenied ? "denied" : formatDuration(end.durationMs);
  const name = plainLine(end.tool);
  const width = columns - indent.length - name.length - outcome.length - 6;
  const what = title === "" ? "" : ` ${fitLine(title, Math.max(width, 10))}`;
  const mark = end.isDenied ? colors.yellow("⊘") : end.isError ? colors.red("✗") : colors.green("✓");
  const line = `${indent}${mark} ${colors.bold(name)}${what}  ${colors.dim(outcome)}\n`;
  const reason = end.isError && !end.isDenied ? reasonIn(end.output) : "";
  return reason === "" ? line : `${line}${indent}  ${colors.dim(fitLine(reason, Math.max(columns - 8, 20)))}\n`;
}

/** A failed command says what was wrong at its end; a call that the CLI refuses at its beginning, between marks for the model. */
function reasonIn(output: unknown): string {
  const text = outputText(output);
  const refused = /^<tool_use_error>([^]*?)(?:<\/tool_use_error>|$)/u.exec(text)?.[1];
  const lines = (refused ?? text)
    .split("\n")
    .map(plainLine)
    .filter((line) => line !== "");
  return lines.at(refused === undefined ? -1 : 0) ?? "";
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return "";
  return output
    .map((block: { readonly text?: unknown }) => (typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

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
