import { z } from "zod";
import type { FileChange } from "../../snapshot/index.ts";

/** What became of files, as the envelope tells it: paths below the workspace; a folder's ends with a slash. */
export const FilesData = z.strictObject({
  created: z.array(z.string()).describe("Paths of files that came, below the workspace"),
  modified: z.array(z.string()).describe("Paths of files whose content or permissions changed"),
  deleted: z.array(z.string()).describe("Paths of files that went"),
  renamed: z
    .array(z.strictObject({ from: z.string().describe("The path before"), to: z.string().describe("The path after") }))
    .describe("Files that got another path"),
});

export type FilesData = z.infer<typeof FilesData>;

export function toFilesData(changes: readonly FileChange[]): FilesData {
  const of = (type: FileChange["type"]): string[] => changes.filter((change) => change.type === type).map(shownPath);
  return {
    created: of("created"),
    modified: of("modified"),
    deleted: of("deleted"),
    renamed: changes.flatMap((change) => (change.type === "renamed" ? [{ from: change.from, to: change.path }] : [])),
  };
}

/** Whether a change is about a file or a link: an agent's own empty folders are no work of it. */
export function isAboutFile(change: FileChange): boolean {
  return (change.type === "deleted" ? change.before : change.after).kind !== "directory";
}

export function shownPath(change: FileChange): string {
  return isAboutFile(change) ? change.path : `${change.path}/`;
}
