import { isRecord } from "./is-record.ts";

/** A field of a tool's input in words. */
export interface ToolField {
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
