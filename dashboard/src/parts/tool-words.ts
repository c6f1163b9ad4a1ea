import { countText } from "./format.ts";
import { plainLine } from "./plain.ts";

/** What kind of thing a call does: its icon. */
export type ToolKind =
  | "command"
  | "read"
  | "write"
  | "edit"
  | "find"
  | "web"
  | "agent"
  | "list"
  | "plan"
  | "question"
  | "skill"
  | "other";

/** A call in words: what is done, and to what. */
export interface ToolWords {
  readonly kind: ToolKind;
  readonly verb: string;
  readonly what: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a tool was given, by name; nothing where it is no object. */
export function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};
}

/** A field that is a text; an empty one where it is none. */
export function textOf(fields: Fields, ...names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

type Say = (fields: Fields) => readonly [verb: string, what: string];

const pathOf = (fields: Fields): string => textOf(fields, "file_path", "notebook_path", "path");

const SAYINGS: Readonly<Record<string, readonly [kind: ToolKind, say: Say]>> = {
  Bash: ["command", (fields) => ["Run", textOf(fields, "command")]],
  BashOutput: ["command", (fields) => ["Look at the output of", textOf(fields, "bash_id", "shell_id")]],
  TaskOutput: ["command", (fields) => ["Look at the output of", textOf(fields, "task_id", "bash_id")]],
  KillShell: ["command", (fields) => ["Stop", textOf(fields, "shell_id", "bash_id")]],
  TaskStop: ["command", (fields) => ["Stop", textOf(fields, "task_id", "shell_id")]],
  Read: ["read", (fields) => ["Read", pathOf(fields) + partOf(fields)]],
  NotebookRead: ["read", (fields) => ["Read", pathOf(fields)]],
  LS: ["find", (fields) => ["List", pathOf(fields)]],
  Write: ["write", (fields) => ["Write", pathOf(fields)]],
  Edit: ["edit", (fields) => ["Edit", pathOf(fields)]],
  MultiEdit: ["edit", (fields) => ["Edit", pathOf(fields)]],
  NotebookEdit: ["edit", (fields) => ["Edit", pathOf(fields)]],
  Glob: ["find", (fields) => ["Find files", textOf(fields, "pattern") + within(fields)]],
  Grep: ["find", (fields) => ["Search", textOf(fields, "pattern") + within(fields)]],
  WebFetch: ["web", (fields) => ["Fetch", withoutScheme(textOf(fields, "url"))]],
  WebSearch: ["web", (fields) => ["Search the web for", textOf(fields, "query")]],
  TodoWrite: ["list", (fields) => ["To do", todoWords(fields)]],
  TaskCreate: ["list", (fields) => ["Add to the list", textOf(fields, "subject", "description")]],
  TaskUpdate: [
    "list",
    (fields) => ["Change in the list", [fields["taskId"], fields["status"]].filter(Boolean).join(" ")],
  ],
  TaskList: ["list", () => ["Look at the list", ""]],
  Task: ["agent", (fields) => ["Have a sub-agent", textOf(fields, "description", "prompt")]],
  Agent: ["agent", (fields) => ["Have a sub-agent", textOf(fields, "description", "prompt")]],
  ExitPlanMode: ["plan", (fields) => ["Propose a plan", firstLine(textOf(fields, "plan"))]],
  exit_plan_mode: ["plan", (fields) => ["Propose a plan", firstLine(textOf(fields, "plan"))]],
  AskUserQuestion: ["question", (fields) => ["Ask", questionWords(fields)]],
  Skill: ["skill", (fields) => ["Use the skill", textOf(fields, "skill", "command", "name")]],
  SlashCommand: ["skill", (fields) => ["Run", textOf(fields, "command")]],
  ToolSearch: ["find", (fields) => ["Look for a tool", textOf(fields, "query")]],
};

/** What is about files is said without the directory that all of them are in. */
const ABOUT_FILES: ReadonlySet<ToolKind> = new Set(["read", "write", "edit", "find"]);

/** A call as one line: a command, a file below the directory, a pattern, a host. */
export function toolWords(tool: string, input: unknown, directory?: string): ToolWords {
  const fields = fieldsOf(input);
  const known = Object.hasOwn(SAYINGS, tool) ? SAYINGS[tool] : undefined;
  if (known) {
    const [kind, say] = known;
    const [verb, what] = say(fields);
    const isShort = directory !== undefined && directory !== "/" && ABOUT_FILES.has(kind);
    return { kind, verb, what: plainLine(isShort ? what.replaceAll(`${directory}/`, "") : what) };
  }
  const what = plainLine(
    textOf(fields, "command", "file_path", "path", "pattern", "url", "query", "description", "name"),
  );
  // Tools of MCP servers are called mcp__server__tool.
  const [, server, name] = /^mcp__(.+?)__(.+)$/u.exec(tool) ?? [];
  return {
    kind: "other",
    verb: plainLine(name === undefined ? tool : `${server}: ${name.replaceAll("_", " ")}`),
    what,
  };
}

function partOf(fields: Fields): string {
  const { offset, limit } = fields;
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  return typeof limit === "number" ? `, lines ${first}–${first + limit - 1}` : `, from line ${first}`;
}

function within(fields: Fields): string {
  const path = textOf(fields, "path", "glob");
  return path === "" ? "" : ` in ${path}`;
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//u, "");
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").replace(/^[#\s*-]+/u, "");
}

/** An entry of a list of things to do. */
export interface Todo {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed";
}

export function todosOf(input: unknown): readonly Todo[] {
  const { todos } = fieldsOf(input);
  if (!Array.isArray(todos)) return [];
  return todos.map((todo): Todo => {
    const fields = fieldsOf(todo);
    const status = fields["status"];
    return {
      text: textOf(fields, "content", "subject", "activeForm"),
      status: status === "completed" || status === "in_progress" ? status : "pending",
    };
  });
}

function todoWords(fields: Fields): string {
  const todos = todosOf(fields);
  const done = todos.filter(({ status }) => status === "completed").length;
  const now = todos.find(({ status }) => status === "in_progress")?.text;
  return `${done} of ${todos.length} done${now === undefined ? "" : `, now: ${now}`}`;
}

function questionWords(fields: Fields): string {
  const { questions } = fields;
  const [first] = Array.isArray(questions) ? (questions as readonly unknown[]) : [];
  return textOf(fieldsOf(first), "question") || textOf(fields, "question");
}

/** What a tool answered, as text: pictures are only told of. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (output === null || output === undefined) return "";
  if (!Array.isArray(output)) return jsonText(output);
  return output
    .map((block: unknown) => {
      const fields = fieldsOf(block);
      if (typeof fields["text"] === "string") return fields["text"];
      if (fields["type"] === "image") return "";
      return fields["type"] === "tool_reference" ? textOf(fields, "tool_name") : jsonText(block);
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** A value as JSON to be read. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "(nested too deeply to be shown)";
  }
}

/** Where more of an output is read to count its lines, it is only called long. */
const MOST_COUNTED = 2_000_000;

/** What came of a call in about five words: why it failed, how many lines it gave. */
export function resultWords(
  { tool, input, output }: { readonly tool: string; readonly input: unknown; readonly output: unknown },
  { isError = false, isDenied = false }: { readonly isError?: boolean; readonly isDenied?: boolean } = {},
): string {
  if (isDenied) return "not permitted";
  const text = outputText(output);
  if (isError) return fewWords(failureIn(text)) || "failed";
  const { kind } = toolWords(tool, input);
  if (kind === "edit" || kind === "write") return editWords(tool, input);
  if (kind === "plan") return "";
  if (kind === "list" || text.trim() === "") return "";
  if (text.length > MOST_COUNTED) return "a long text";
  const lines = text.trimEnd().split("\n");
  if (lines.length === 1 && kind !== "read") return fewWords(lines[0] ?? "");
  if (kind === "find" && /^(?:Found|No) /u.test(text)) return fewWords(lines[0] ?? "");
  return countText(lines.length, "line");
}

/** A failed command says what was wrong at its end; a call that the CLI refuses at its beginning, between marks for the model. */
function failureIn(text: string): string {
  const refused = /^<tool_use_error>([^]*?)(?:<\/tool_use_error>|$)/u.exec(text)?.[1];
  const lines = (refused ?? text.slice(-20_000)).split("\n").filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  if (refused !== undefined || lines.length === 1) return first;
  return (
    lines.find((line) => /error|fail|not found|denied|cannot/iu.test(line) && !line.startsWith("Exit code")) ??
    lines.at(-1) ??
    ""
  );
}

function fewWords(text: string): string {
  const line = plainLine(text, 80);
  return line.length > 48 ? `${line.slice(0, 47)}…` : line;
}

function editWords(tool: string, input: unknown): string {
  const fields = fieldsOf(input);
  if (tool === "Write") return countText(lineCount(textOf(fields, "content")), "line");
  const edits = Array.isArray(fields["edits"]) ? (fields["edits"] as readonly unknown[]).map(fieldsOf) : [fields];
  const count = (name: string): number => edits.reduce((sum, edit) => sum + lineCount(textOf(edit, name)), 0);
  return tool === "NotebookEdit" ? `+${count("new_source")}` : `+${count("new_string")} −${count("old_string")}`;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
}

/** The lines of a file as the tool that reads them numbers them, without their numbers; undefined where they are not numbered. */
export function numberedLines(text: string): { readonly text: string; readonly first: number } | undefined {
  const lines = text.replace(/\n$/u, "").split("\n");
  // What Claude Code adds for the model comes after the last line.
  const end = lines.findIndex((line) => !/^\s*\d+[\t→]/u.test(line));
  const own = end === -1 ? lines : lines.slice(0, end);
  const [first] = own;
  if (first === undefined) return undefined;
  const rest = end === -1 ? [] : lines.slice(end);
  const bare = own.map((line) => line.replace(/^\s*\d+[\t→]/u, ""));
  return { text: [...bare, ...rest].join("\n"), first: Number.parseInt(first, 10) };
}
