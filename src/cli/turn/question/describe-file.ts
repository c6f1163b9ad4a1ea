import { stat } from "node:fs/promises";
import { homedir } from "node:os";

import { isInside } from "../../../core/index.ts";
import { resolvePath } from "../../../engine/index.ts";
import { otherFacts, toLines } from "./call-fields.ts";
import { diffLines } from "./diff-lines.ts";
import type { BodyLine, DescribedCall, Fact } from "./described-call.ts";

type Input = Readonly<Record<string, unknown>>;

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
      body: ({ content }) => toLines(content).map(({ text }) => ({ text, change: "added" })),
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
      body: ({ new_source: source }) => toLines(source ?? "").map(({ text }) => ({ text, change: "added" })),
    },
  ],
]);

/** Says what a call of a file tool would do, with the file that its path leads to; nothing for other tools. */
export async function describeFile(tool: string, input: Input, cwd: string): Promise<DescribedCall | undefined> {
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
