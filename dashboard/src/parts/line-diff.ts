import { diffWordsWithSpace, structuredPatch } from "diff";
import { pairUp, type PatchFile, type PatchLine } from "./patch.ts";

/** A piece of a changed line, and whether it is what changed. */
export type WordPiece = readonly [text: string, isChanged: boolean];

/** Words of longer lines are not compared: that takes too long for a line that nobody reads. */
const LONGEST = 400;

/** The pieces of a line beside the one that stands for it; undefined where hardly anything is the same. */
export function changedWords(text: string, other: string): readonly WordPiece[] | undefined {
  if (text.length > LONGEST || other.length > LONGEST) return undefined;
  const pieces = diffWordsWithSpace(other, text);
  const same = pieces.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length), 0);
  if (same * 3 < Math.max(text.trim().length, other.trim().length)) return undefined;
  return pieces.filter(({ removed }) => !removed).map(({ value, added }) => [value, added]);
}

/** What an edit changes in a text, as a file of a patch. */
export function editedFile(before: string, after: string, path: string): PatchFile {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 3, maxEditLength: 5000 }) ?? {
    hunks: [wholly(before, after)],
  };
  const parsed = hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    where: "",
    lines: pairUp(numbered(lines, oldStart, newStart)),
  }));
  const count = (type: PatchLine["type"]): number =>
    parsed.flatMap(({ lines }) => lines).filter((line) => line.type === type).length;
  const change = before === "" ? "created" : "modified";
  return {
    path,
    from: undefined,
    change,
    isBinary: false,
    hunks: parsed,
    added: count("added"),
    removed: count("removed"),
  };
}

function numbered(lines: readonly string[], oldStart: number, newStart: number): readonly PatchLine[] {
  let [oldLine, newLine] = [oldStart, newStart];
  return lines.flatMap((line): readonly PatchLine[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ type: "added", text, oldLine: undefined, newLine: newLine++ }];
    if (line.startsWith("-")) return [{ type: "removed", text, oldLine: oldLine++, newLine: undefined }];
    return line.startsWith("\\") ? [] : [{ type: "same", text, oldLine: oldLine++, newLine: newLine++ }];
  });
}

/** Two texts that have too little in common to be compared: one is taken out, the other put in. */
function wholly(before: string, after: string): { oldStart: number; newStart: number; lines: string[] } {
  const lines = [...before.split("\n").map((line) => `-${line}`), ...after.split("\n").map((line) => `+${line}`)];
  return { oldStart: 1, newStart: 1, lines };
}
