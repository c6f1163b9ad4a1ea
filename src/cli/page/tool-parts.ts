import { z } from "zod";
import type { ToolUse } from "../../transcript/index.ts";
import { diffLines, type BodyLine } from "../turn/question/diff-lines.ts";
import { formatDuration, formatNumberOf } from "../format-amounts.ts";

/** A line of a change, or the place in the file where the next lines stand. */
export type DiffLine = BodyLine | { readonly place: string };

/** What the CLI notes of a change, with the lines around it. */
const Patched = z.looseObject({
  structuredPatch: z
    .array(z.looseObject({ oldStart: z.int(), newStart: z.int(), lines: z.array(z.string()) }))
    .nonempty(),
});

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

/** How many lines a change puts in and takes out. */
function countChanges(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  const changes = lines.map((line) => ("place" in line ? undefined : line.change));
  return {
    added: changes.filter((change) => change === "added").length,
    removed: changes.filter((change) => change === "removed").length,
  };
}

/** A line as a patch writes it. */
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
      return toAdded(Written.safeParse(input).data?.content);
    case "NotebookEdit":
      return toAdded(Notebook.safeParse(input).data?.new_source);
    default:
      return undefined;
  }
}

function toAdded(text: string | undefined): readonly DiffLine[] | undefined {
  return text
    ?.replace(/\n$/u, "")
    .split("\n")
    .map((line) => ({ text: line, change: "added" }));
}

function toHunk({
  oldStart,
  newStart,
  lines,
}: z.infer<typeof Patched>["structuredPatch"][number]): readonly DiffLine[] {
  return [
    { place: `@@ -${oldStart} +${newStart} @@` },
    ...lines.map((line): DiffLine => {
      if (line.startsWith("+")) return { text: line.slice(1), change: "added" };
      return line.startsWith("-") ? { text: line.slice(1), change: "removed" } : { text: line.slice(1) };
    }),
  ];
}

/** A field of a tool's input in words. */
interface ToolField {
  readonly name: string;
  readonly value: string;
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
export function otherFields(tool: string, input: unknown): readonly ToolField[] {
  if (!isRecord(input)) return input === undefined ? [] : [{ name: "input", value: toText(input) }];
  const shown = Object.hasOwn(SHOWN, tool) ? (SHOWN[tool] ?? []) : [];
  return Object.entries(input)
    .filter(([name, value]) => !(shown.includes(name) && (typeof value === "string" || Array.isArray(value))))
    .map(([name, value]) => ({ name, value: toText(value) }));
}

/** A field that is text. */
export function textField(input: unknown, name: string): string | undefined {
  const value = isRecord(input) ? input[name] : undefined;
  return typeof value === "string" ? value : undefined;
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
interface ToolOutcome {
  readonly state: "done" | "failed" | "open";
  readonly mark: string;
  readonly word: string;
}

/** How a call ended. */
export function outcomeOf({ result }: ToolUse): ToolOutcome {
  if (result === undefined) return { state: "open", mark: "…", word: "no result" };
  if (result.isInterrupted) return { state: "failed", mark: "✗", word: "interrupted" };
  return result.isError ? { state: "failed", mark: "✗", word: "failed" } : { state: "done", mark: "✓", word: "" };
}

/** What came of a call, in a few words. */
export function summarizeTool(tool: ToolUse, diff: readonly DiffLine[] | undefined): string {
  const text = tool.result?.text.trimEnd() ?? "";
  const lines = text === "" ? 0 : text.split("\n").length;
  const changes = diff && countChanges(diff);
  return [
    outcomeOf(tool).word,
    changes ? `+${changes.added} −${changes.removed}` : lines > 1 ? formatNumberOf(lines, "line") : "",
    tool.durationMs === undefined ? "" : formatDuration(tool.durationMs),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status: z.string().default("") })),
});

/** The tasks that a call of TodoWrite sets. */
export function todosOf({ name, input }: ToolUse): readonly { readonly content: string; readonly status: string }[] {
  return name === "TodoWrite" ? (Todos.safeParse(input).data?.todos ?? []) : [];
}

/** Whether a value is an object with fields. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
