import type { DiffData } from "../../../../src/monitor/api-types.ts";
import { parsePatch, type PatchFile } from "../../parts/patch.ts";

/** The files of a patch that was cut: all by their names; the lines of the chosen one, or of those that the part holds whole. */
export function filesOfCut(
  { changes, patch }: Pick<DiffData, "changes" | "patch">,
  chosenPatch: string | undefined,
  chosen: string | undefined,
): readonly PatchFile[] {
  // Where the patch ends within a file, only a part of that one is known, and which one that is.
  const told = new Map(
    parsePatch(patch)
      .slice(0, -1)
      .map((file) => [file.path, file]),
  );
  const [own] = chosenPatch === undefined ? [] : parsePatch(chosenPatch);
  return changes.map(({ type, path, from }) => {
    if (path === chosen && own) return { ...own, path };
    return (
      told.get(path) ?? {
        path,
        from: from ?? undefined,
        change: type,
        isBinary: false,
        hunks: [],
        added: 0,
        removed: 0,
        untold: path === chosen ? "Asking for its changes…" : "Choose it in the list above to see its changes",
      }
    );
  });
}

/** What is said above such files. */
export function cutNote({
  chosen,
  isRead,
  isCut,
}: {
  readonly chosen: string | undefined;
  readonly isRead: boolean;
  readonly isCut: boolean;
}): string {
  if (chosen === undefined) return "The patch is too long to be shown whole. Choose a file to see its changes.";
  if (!isRead) return "Asking for the changes of this file alone…";
  return isCut
    ? "The patch of this file alone is too long, too: this is its beginning."
    : "The patch of all files is too long: these are the changes of this file alone.";
}
