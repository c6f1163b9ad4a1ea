/** Text, thinking or a tool's input as far as it is written. */
export interface Writing {
  readonly kind: "text" | "thinking" | "input";
  readonly text: string;
  /** The tool whose input it is. */
  readonly tool: string | undefined;
  /** The call of the sub-agent that writes it; undefined where the agent itself does. */
  readonly parent: string | undefined;
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

const KINDS: Readonly<Record<string, Writing["kind"]>> = {
  "text-delta": "text",
  "thinking-delta": "thinking",
  "tool-input-delta": "input",
};

/** What is written once a piece of it has come: whoever writes, writes one thing at a time. */
export function grownWritings(writings: readonly Writing[], event: Event): readonly Writing[] {
  const kind = KINDS[event.type];
  if (kind === undefined) return writings;
  const parent = parentOf(event);
  const before = writings.find((each) => each.parent === parent);
  const piece = event[kind === "input" ? "json" : "text"];
  const tool = wordOf(event["tool"]);
  const begun = before?.kind === kind && before.tool === tool ? before.text : "";
  const grown = { kind, text: begun + (typeof piece === "string" ? piece : ""), tool, parent };
  return before === undefined ? [...writings, grown] : writings.map((each) => (each === before ? grown : each));
}

/** What is still being written after lines: each takes away what its own speaker wrote, and nothing of others. */
export function leftWritings(
  writings: readonly Writing[],
  lines: readonly { readonly event: Event }[],
): readonly Writing[] {
  if (writings.length === 0) return writings;
  return lines.reduce<readonly Writing[]>((left, { event }) => left.filter((each) => !isOver(each, event)), writings);
}

const ENDS_ALL = new Set(["turn-end", "run-end", "error"]);

function isOver({ parent }: Writing, event: Event): boolean {
  if (ENDS_ALL.has(event.type)) return true;
  // The sub-agent's call has its result: it writes no more.
  if (event.type === "tool-end" && wordOf(event["tool_use_id"]) === parent) return true;
  return parentOf(event) === parent && !ASIDE.has(event.type);
}

/** What the engine tells of itself or of a call that runs, while anybody may be writing. */
const ASIDE = new Set(["tool-end", "question-asked", "question-answered", "program-event"]);

function parentOf(event: Event): string | undefined {
  return wordOf(event["parent_tool_use_id"]);
}

function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
