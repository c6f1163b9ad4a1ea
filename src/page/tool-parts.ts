import { z } from "zod";
import type { ToolUse } from "../transcript/internal.ts";
import {
  diffLines,
  toAdded,
  toRemoved,
  type BodyLine,
  formatDuration,
  formatNumberOf,
  dotted,
} from "../terminal/index.ts";
import { ownValue } from "../core/internal.ts";

/** A line of a change, or the place in the file where the next lines stand. */
export type DiffLine = BodyLine | { readonly place: string };

const Hunk = z.looseObject({ oldStart: z.int(), newStart: z.int(), lines: z.array(z.string()) });
const Patched = z.looseObject({ structuredPatch: z.array(Hunk).nonempty() });

const Edit = z.looseObject({ old_string: z.string(), new_string: z.string() });
const MultiEdit = z.looseObject({ edits: z.array(Edit) });
const Written = z.looseObject({ content: z.string() });
const Notebook = z.looseObject({ new_source: z.string() });

/** What a call changed in a file; undefined for tools that change none, and for inputs of another shape. */
export function diffOfTool({ name, input, result }: ToolUse): readonly DiffLine[] | undefined {
  const asked = askedChange(name, input);
  if (asked === undefined) return undefined;
  const patched = Patched.safeParse(result?.details);
  return patched.success ? patched.data.structuredPatch.flatMap(toHunk) : asked;
}

export function patchLine(line: DiffLine): string {
  if ("place" in line) return line.place;
  return `${line.change === undefined ? " " : line.change === "added" ? "+" : "-"}${line.text}`;
}

function askedChange(name: string, input: unknown): readonly DiffLine[] | undefined {
  switch (name) {
    case "Edit": {
      const edit = Edit.safeParse(input).data;
      return edit && diffLines(edit.old_string, edit.new_string);
    }
    case "MultiEdit":
      return MultiEdit.safeParse(input).data?.edits.flatMap((edit, index) => [
        { place: `@@ edit ${index + 1} @@` },
        ...diffLines(edit.old_string, edit.new_string),
      ]);
    case "Write":
      return addedLines(Written.safeParse(input).data?.content);
    case "NotebookEdit":
      return addedLines(Notebook.safeParse(input).data?.new_source);
    default:
      return undefined;
  }
}

function addedLines(text: string | undefined): readonly DiffLine[] | undefined {
  return text?.replace(/\n$/u, "").split("\n").map(toAdded);
}

function toHunk({ oldStart, newStart, lines }: z.infer<typeof Hunk>): readonly DiffLine[] {
  const changes = { "+": toAdded, "-": toRemoved };
  return [
    { place: `@@ -${oldStart} +${newStart} @@` },
    ...lines.map((line) => {
      const text = line.slice(1);
      return ownValue(changes, line.slice(0, 1))?.(text) ?? { text };
    }),
  ];
}

/** Fields of an input that are shown in their own way, by tool. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command", "description"],
  Edit: ["file_path", "old_string", "new_string"],
  MultiEdit: ["file_path", "edits"],
  Write: ["file_path", "content"],
  NotebookEdit: ["notebook_path", "new_source"],
  Agent: ["prompt", "description", "subagent_type"],
  Task: ["prompt", "description", "subagent_type"],
  ExitPlanMode: ["plan"],
  exit_plan_mode: ["plan"],
  TodoWrite: ["todos"],
  Read: ["file_path"],
};

/** The fields of a call's input that nothing else shows. */
export function otherFields(
  tool: string,
  input: unknown,
): readonly { readonly name: string; readonly value: string }[] {
  if (!isRecord(input)) return input === undefined ? [] : [{ name: "input", value: toText(input) }];
  const shown = ownValue(SHOWN, tool) ?? [];
  return Object.entries(input)
    .filter(([name, value]) => !(shown.includes(name) && (typeof value === "string" || Array.isArray(value))))
    .map(([name, value]) => ({ name, value: toText(value) }));
}

export function textField(input: unknown, name: string): string | undefined {
  const value = isRecord(input) ? input[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** What a call says to a sub-agent or to the person, as text to be read. */
export function saidTo({ input }: ToolUse): string | undefined {
  return textField(input, "prompt") ?? textField(input, "plan");
}

/** A command of several lines; the title tells one of a single line. */
export function longCommand({ name, input }: ToolUse): string {
  const command = (name === "Bash" && textField(input, "command")) || "";
  return command.includes("\n") ? command : "";
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

/** A value as it stands in the transcript. One that is nested deeper than the stack is only told of. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** How a call ended: its sign, and the word for it where something is wrong. */
export function outcomeOf({ result }: ToolUse): {
  readonly state: "done" | "failed" | "open";
  readonly mark: string;
  readonly word: string;
} {
  if (result === undefined) return { state: "open", mark: "…", word: "no result" };
  if (result.isInterrupted) return { state: "failed", mark: "✗", word: "interrupted" };
  return result.isError ? { state: "failed", mark: "✗", word: "failed" } : { state: "done", mark: "✓", word: "" };
}

export function summarizeTool(tool: ToolUse, diff: readonly DiffLine[] | undefined): string {
  const text = tool.result?.text.trimEnd() ?? "";
  const lines = text === "" ? 0 : text.split("\n").length;
  const count = (change: BodyLine["change"]): number =>
    diff?.filter((line) => "change" in line && line.change === change).length ?? 0;
  return dotted([
    outcomeOf(tool).word,
    diff ? `+${count("added")} −${count("removed")}` : lines > 1 && formatNumberOf(lines, "line"),
    tool.durationMs !== undefined && formatDuration(tool.durationMs),
  ]);
}

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status: z.string().default("") })),
});

export function todosOf({ name, input }: ToolUse): readonly { readonly content: string; readonly status: string }[] {
  return name === "TodoWrite" ? (Todos.safeParse(input).data?.todos ?? []) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
