import type { PatchFile, PatchLine } from "./patch.ts";

/** A row of a diff, as it is drawn. */
export type DiffRow =
  | { readonly type: "file"; readonly file: PatchFile; readonly place: number }
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "hunk"; readonly text: string }
  | { readonly type: "line"; readonly line: PatchLine }
  | { readonly type: "pair"; readonly left: PatchLine | undefined; readonly right: PatchLine | undefined };

export type DiffMode = "unified" | "split";

/** The rows of some files; of those that are folded only the header. */
export function diffRows(
  files: readonly PatchFile[],
  { mode, folded = new Set(), hasHeaders = true }: DiffRowsOptions,
): readonly DiffRow[] {
  return files.flatMap((file, place): readonly DiffRow[] => {
    const header: readonly DiffRow[] = hasHeaders ? [{ type: "file", file, place }] : [];
    if (hasHeaders && folded.has(file.path)) return header;
    if (file.hunks.length === 0) return [...header, { type: "note", text: withoutLines(file) }];
    const body = file.hunks.flatMap(({ lines, where, oldStart, newStart }, index): readonly DiffRow[] => {
      const text = `@@ ${oldStart} → ${newStart} @@${where === "" ? "" : ` ${where}`}`;
      // The beginning of a whole file needs no word.
      const isStart = index === 0 && Math.max(oldStart, newStart) <= 1;
      return [
        ...(isStart ? [] : [{ type: "hunk", text } as const]),
        ...(mode === "split" ? sides(lines) : plain(lines)),
      ];
    });
    return [...header, ...body];
  });
}

interface DiffRowsOptions {
  readonly mode: DiffMode;
  /** Paths of files that are folded. */
  readonly folded?: ReadonlySet<string>;
  readonly hasHeaders?: boolean;
}

function withoutLines({ isBinary, change, from, untold }: PatchFile): string {
  if (untold !== undefined) return untold;
  if (isBinary) return "Not text: its lines are not shown";
  if (change === "renamed") return `Renamed from ${from ?? "another path"}, nothing else changed`;
  return change === "created" ? "An empty file" : "No line changed";
}

function plain(lines: readonly PatchLine[]): readonly DiffRow[] {
  return lines.map((line) => ({ type: "line", line }));
}

/** Removed lines left, those that came in their place right. */
function sides(lines: readonly PatchLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = (): void => {
    for (let place = 0; place < Math.max(removed.length, added.length); place += 1) {
      rows.push({ type: "pair", left: removed[place], right: added[place] });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.type === "same") {
      flush();
      rows.push({ type: "pair", left: line, right: line });
    } else if (line.type === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else added.push(line);
  }
  flush();
  return rows;
}
