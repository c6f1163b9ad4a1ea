import { z } from "zod";
import type { RefreshReport, SkippedPath } from "../../transcript/index.ts";
import { formatNumberOf } from "../format-amounts.ts";

/** What could not be read, and is therefore in no sum and not found by any search. */
export const UnreadData = z.strictObject({
  /** Files and folders that could not be read. */
  skipped: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  /** Lines of all files, or parts of lines, that are no records. */
  broken_lines: z.int(),
});

/** What could not be read. */
export type UnreadData = z.infer<typeof UnreadData>;

/** What an index could not read, in the words of the envelope. */
export function toUnreadData({ skipped, brokenLinesKnown }: RefreshReport): UnreadData {
  return { skipped: skipped.map(toSkippedData), broken_lines: brokenLinesKnown };
}

/** A file that could not be read, in the words of the envelope. */
export function toSkippedData({ path, code, message }: SkippedPath): UnreadData["skipped"][number] {
  return { path, code, message };
}

/** What could not be read, a line each; nothing where everything was. */
export function unreadNotes({ skipped, broken_lines: lines }: UnreadData): readonly string[] {
  return [
    ...(skipped.length > 0 ? [`${formatNumberOf(skipped.length, "file")} could not be read`] : []),
    ...(lines > 0 ? [`${formatNumberOf(lines, "broken line")} could not be read`] : []),
  ];
}

/** Notes below what a command prints. */
export function formatNotes(notes: readonly string[], dim: (text: string) => string): string {
  return notes.map((note) => `  ${dim(note)}\n`).join("");
}
