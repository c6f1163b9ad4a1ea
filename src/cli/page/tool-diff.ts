import { z } from "zod";
import type { ToolUse } from "../../transcript/index.ts";
import { diffLines, type BodyLine } from "../turn/question/diff-lines.ts";

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
export function countChanges(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
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
