import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isInside } from "../../../core/internal.ts";
import { resolvePath } from "../../../engine/internal.ts";
import { diffLines, toAdded, type BodyLine } from "../../../terminal/index.ts";

export interface CallPlace {
  readonly cwd: string;
  /** Whether commands run in a sandbox unless they ask not to. */
  readonly isSandboxed: boolean;
}

/** What a tool was given. */
export type Input = Readonly<Record<string, unknown>>;

/** Says what a call would do: all of its input, the telling part of it as people read it. */
export async function describeCall(tool: string, input: Input, place: CallPlace): Promise<DescribedCall> {
  switch (tool) {
    case "Bash":
      return describeCommand("run a command", input, place);
    case "SandboxNetworkAccess":
      return {
        ...describeOther(tool, input),
        action: "let the running sandboxed command reach a host",
        warnings: ["Outside the sandbox"],
      };
    case "Monitor":
      return describeMonitor(input, place);
    case "WebFetch":
    case "WebSearch":
      return describeWeb(tool, input);
    default:
      return (await describeFile(tool, input, place.cwd)) ?? describeOther(tool, input);
  }
}

function describeCommand(action: string, input: Input, { isSandboxed }: CallPlace): DescribedCall {
  const leaves = input["dangerouslyDisableSandbox"] !== undefined && input["dangerouslyDisableSandbox"] !== false;
  const isConfined = isSandboxed && !leaves;
  const open = "with the network and all your files, including your keys";
  return {
    action: isConfined ? `${action} in the sandbox` : action,
    warnings: isConfined ? [] : [leaves ? `Outside the sandbox, ${open}` : `Without a sandbox, ${open}`],
    isRisky: leaves,
    isConfined,
    facts: otherFacts(input, ["command"]),
    body: toLines(input["command"]),
  };
}

function describeMonitor(input: Input, place: CallPlace): DescribedCall {
  const socket = input["ws"];
  if (typeof socket !== "object" || socket === null) {
    return describeCommand("run a command and watch its output", input, place);
  }
  const { url, ...rest } = socket as Input;
  return {
    action: "open a connection and watch it",
    warnings: ["Outside the sandbox"],
    isRisky: true,
    isConfined: false,
    facts: [...hostFacts(url), ...otherFacts(rest, []), ...otherFacts(input, ["ws"])],
    body: toLines(url),
  };
}

function describeWeb(tool: string, input: Input): DescribedCall {
  const { url, query, ...rest } = input;
  return {
    action: tool === "WebFetch" ? "fetch a page" : "search the web",
    warnings: ["Outside the sandbox"],
    isRisky: false,
    isConfined: false,
    facts: [...(url === undefined ? [] : hostFacts(url)), ...otherFacts(rest, [])],
    body: toLines(url ?? query ?? ""),
  };
}

/** Whom an address reaches, as the network reads it. */
function hostFacts(url: unknown): readonly Fact[] {
  const text = textOf(url);
  if (!URL.canParse(text)) return [{ name: "Host", value: "cannot be read from the address" }];
  const { host, username, password } = new URL(text);
  const login = username === "" && password === "" ? [] : [{ name: "Login", value: "the address carries one" }];
  return [{ name: "Host", value: host }, ...login];
}

function describeOther(tool: string, input: Input): DescribedCall {
  const body = Object.entries(input).flatMap(([name, value]) => {
    const lines = toLines(value);
    return lines.length === 1
      ? [{ text: `${name}: ${lines[0]?.text ?? ""}` }]
      : [{ text: `${name}:` }, ...lines.map(({ text }) => ({ text: `  ${text}` }))];
  });
  return {
    action: tool.startsWith("mcp__") ? "call a tool of an MCP server" : "be used",
    warnings: [],
    isRisky: false,
    isConfined: false,
    facts: [],
    body,
  };
}

interface FileTool {
  readonly key: string;
  readonly action: string;
  readonly writes: boolean;
  /** The fields that the body shows, and how. */
  readonly shown: readonly string[];
  readonly body: (input: Input) => readonly BodyLine[];
}

const NO_BODY = { writes: false, shown: [], body: () => [] } as const;

const FILE_TOOLS: ReadonlyMap<string, FileTool> = new Map<string, FileTool>([
  ["Read", { ...NO_BODY, key: "file_path", action: "read a file" }],
  ["NotebookRead", { ...NO_BODY, key: "notebook_path", action: "read a notebook" }],
  ["LS", { ...NO_BODY, key: "path", action: "list a folder" }],
  ["Glob", { ...NO_BODY, key: "path", action: "look for files" }],
  ["Grep", { ...NO_BODY, key: "path", action: "search in files" }],
  [
    "Write",
    {
      key: "file_path",
      action: "write a file",
      writes: true,
      shown: ["content"],
      body: ({ content }) => addedLines(content),
    },
  ],
  [
    "Edit",
    {
      key: "file_path",
      action: "change a file",
      writes: true,
      shown: ["old_string", "new_string"],
      body: (input) => diffLines(String(input["old_string"]), String(input["new_string"])),
    },
  ],
  [
    "MultiEdit",
    { key: "file_path", action: "change a file", writes: true, shown: ["edits"], body: ({ edits }) => diffAll(edits) },
  ],
  [
    "NotebookEdit",
    {
      key: "notebook_path",
      action: "change a notebook",
      writes: true,
      shown: ["new_source"],
      body: ({ new_source: source }) => addedLines(source),
    },
  ],
]);

/** A text as lines that are put in; the end of its last line begins no other. */
function addedLines(text: unknown): readonly BodyLine[] {
  const written = textOf(text ?? "");
  return written === "" ? [] : written.replace(/\n$/u, "").split("\n").map(toAdded);
}

/** Says what a call of a file tool would do, with the file that its path leads to; nothing for other tools. */
async function describeFile(tool: string, input: Input, cwd: string): Promise<DescribedCall | undefined> {
  const known = FILE_TOOLS.get(tool);
  if (!known) return undefined;
  const given = typeof input[known.key] === "string" ? String(input[known.key]) : ".";
  const { real } = await resolvePath(given, { cwd, home: homedir() });
  const base = await resolvePath(".", { cwd, home: homedir() });
  const isOutside = real.some((file) => !base.real.some((folder) => isInside(file, folder)));
  return {
    action: known.action,
    warnings: isOutside ? ["Outside the working directory"] : [],
    isRisky: false,
    isConfined: !isOutside,
    facts: [
      ...real.map((file) => ({ name: "File", value: file })),
      ...(real.includes(given) ? [] : [{ name: "Given as", value: given }]),
      ...(known.writes ? await presentFacts(real[0] ?? given) : []),
      ...otherFacts(input, [known.key, ...known.shown]),
    ],
    body: known.body(input),
  };
}

async function presentFacts(file: string): Promise<readonly Fact[]> {
  const found = await stat(file).catch(() => undefined);
  const value =
    found === undefined ? "new" : found.isFile() ? `exists, ${found.size} bytes` : "exists, but is not a regular file";
  return [{ name: "Now", value }];
}

function diffAll(edits: unknown): readonly BodyLine[] {
  if (!Array.isArray(edits)) return toLines(edits);
  return edits.flatMap((edit: Input) => diffLines(String(edit["old_string"]), String(edit["new_string"])));
}

/** A tool call as a person has to judge it. */
export interface DescribedCall {
  /** What the tool would do, as the end of a sentence: "run a command". */
  readonly action: string;
  /** What makes it more than that, each in a few words: "Outside the sandbox". */
  readonly warnings: readonly string[];
  /** Whether a stray key must not be enough for it, nor an answer for good. */
  readonly isRisky: boolean;
  /** Whether it stays in the workspace, as far as can be told: a file tool below it, a command in the sandbox. */
  readonly isConfined: boolean;
  readonly facts: readonly Fact[];
  readonly body: readonly BodyLine[];
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The fields of an input that have no place of their own yet. */
function otherFacts(input: Input, shown: readonly string[]): readonly Fact[] {
  return Object.entries(input)
    .filter(([name, value]) => !shown.includes(name) && value !== undefined)
    .map(([name, value]) => ({ name: name === "description" ? "The agent says" : name, value: textOf(value) }));
}

function toLines(text: unknown): readonly BodyLine[] {
  return textOf(text)
    .split("\n")
    .map((line) => ({ text: line }));
}

/** A field as text: what is none as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}
