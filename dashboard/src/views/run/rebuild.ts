import { fieldsOf, textOf } from "../../parts/tool-words.ts";

/** A call that changes a file by its own words, so that it can be done again. */
export interface FileEdit {
  readonly tool: string;
  /** The file's path below the directory of the turn. */
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A file as far as the edits of file tools tell it. */
export interface RebuiltFile {
  readonly path: string;
  /** Its text before the turn; empty where there was no such file. */
  readonly before: string;
  readonly after: string;
  /** Whether every edit found what it was to change: if not, something else changed the file in between. */
  readonly isWhole: boolean;
}

/** A call as far as it takes to make its edit again. */
export interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
  readonly is_error: boolean;
  readonly is_denied: boolean;
  readonly is_open: boolean;
}

const FILE_TOOLS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/** The edits among calls: those that were made, of files below the directory. */
export function fileEdits(calls: readonly MadeCall[], directory: string): readonly FileEdit[] {
  return calls.filter(isMadeEdit).flatMap(({ tool, input }) => {
    const path = below(fileOf(input), directory);
    return path === undefined ? [] : [{ tool, path, input: fieldsOf(input) }];
  });
}

/** How many files were changed that are not below the directory: those are no part of what was recorded. */
export function editsElsewhere(calls: readonly MadeCall[], directory: string): number {
  const files = calls.filter(isMadeEdit).map(({ input }) => fileOf(input));
  return new Set(files.filter((file) => file !== "" && below(file, directory) === undefined)).size;
}

function isMadeEdit({ tool, is_error: isError, is_denied: isDenied, is_open: isOpen }: MadeCall): boolean {
  return FILE_TOOLS.has(tool) && !isError && !isDenied && !isOpen;
}

function fileOf(input: unknown): string {
  return textOf(fieldsOf(input), "file_path", "notebook_path");
}

function below(path: string, directory: string): string | undefined {
  if (!path.startsWith("/")) return path === "" ? undefined : path.replace(/^\.\//u, "");
  const folder = directory.replace(/\/+$/u, "");
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/** Does edits again, in their order, on the files before the turn; undefined where a file was not there. */
export function rebuildFiles(
  before: ReadonlyMap<string, string | undefined>,
  edits: readonly FileEdit[],
): readonly RebuiltFile[] {
  const files = new Map<string, RebuiltFile>();
  for (const { tool, path, input } of edits) {
    const file = files.get(path) ?? {
      path,
      before: before.get(path) ?? "",
      after: before.get(path) ?? "",
      isWhole: true,
    };
    const after = edited(file.after, tool, input);
    files.set(path, after === undefined ? { ...file, isWhole: false } : { ...file, after });
  }
  return [...files.values()];
}

type Fields = Readonly<Record<string, unknown>>;

/** A text after an edit; undefined where the edit does not fit it. */
function edited(text: string, tool: string, input: Fields): string | undefined {
  switch (tool) {
    case "Write":
      return typeof input["content"] === "string" ? input["content"] : undefined;
    case "Edit":
      return replaced(text, input);
    case "MultiEdit": {
      const edits: readonly unknown[] = Array.isArray(input["edits"]) ? input["edits"] : [];
      return edits.reduce<string | undefined>(
        (now, each) => (now === undefined ? now : replaced(now, fieldsOf(each))),
        text,
      );
    }
    case "NotebookEdit":
      return editedNotebook(text, input);
    default:
      return undefined;
  }
}

function replaced(text: string, edit: Fields): string | undefined {
  const { old_string: before, new_string: after, replace_all: isEverywhere } = edit;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  // Nothing to replace means a new file, or a whole one.
  if (before === "") return text === "" ? after : undefined;
  const at = text.indexOf(before);
  if (at === -1) return undefined;
  if (isEverywhere === true) return text.replaceAll(before, () => after);
  return text.slice(0, at) + after + text.slice(at + before.length);
}

function editedNotebook(text: string, input: Fields): string | undefined {
  const notebook = parsed(text);
  const cells: readonly unknown[] | undefined = Array.isArray(notebook?.["cells"]) ? notebook["cells"] : undefined;
  const source = input["new_source"];
  if (!notebook || !cells || typeof source !== "string") return undefined;
  const id = textOf(input, "cell_id");
  // Cells without an id of their own are named by their place.
  const number = /^cell-(\d+)$/u.exec(id)?.[1];
  const named = cells.findIndex((cell) => id !== "" && textOf(fieldsOf(cell), "id") === id);
  const place = named === -1 && number !== undefined ? Number(number) : named;
  const next = changedCells(cells, place, {
    mode: textOf(input, "edit_mode"),
    type: textOf(input, "cell_type"),
    source,
  });
  return next && `${JSON.stringify({ ...notebook, cells: next }, null, 1)}\n`;
}

function changedCells(
  cells: readonly unknown[],
  place: number,
  { mode, type, source }: { readonly mode: string; readonly type: string; readonly source: string },
): readonly unknown[] | undefined {
  const lines = source.split(/(?<=\n)/u);
  if (mode === "insert")
    return cells.toSpliced(place + 1, 0, { cell_type: type || "code", metadata: {}, source: lines });
  if (place < 0 || place >= cells.length) return undefined;
  if (mode === "delete") return cells.toSpliced(place, 1);
  return cells.with(place, { ...fieldsOf(cells[place]), ...(type === "" ? {} : { cell_type: type }), source: lines });
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
