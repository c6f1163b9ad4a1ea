/** A block of a Markdown text. What is said inside a line is still Markdown: `renderInline` reads it. */
export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | ListBlock
  | TableBlock
  | { readonly type: "rule" };

/** A list, and whether its items stand close together. */
export interface ListBlock {
  readonly type: "list";
  /** The first number; undefined for a list of dots. */
  readonly start: number | undefined;
  readonly isTight: boolean;
  readonly items: readonly ListItem[];
}

/** An item of a list. */
export interface ListItem {
  /** Whether a task is ticked; undefined where the item is none. */
  readonly isDone: boolean | undefined;
  readonly blocks: readonly Block[];
}

/** A table; every row has as many cells as the head. */
export interface TableBlock {
  readonly type: "table";
  readonly aligns: readonly ("left" | "right" | "center" | undefined)[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A fence that opens a block of code. */
export interface Fence {
  readonly indent: number;
  readonly mark: string;
  readonly language: string;
}

/** Where a line of a list begins. */
export interface Marker {
  readonly indent: number;
  /** Where its text begins. */
  readonly contentIndent: number;
  /** What must be the same for the next item to belong to the same list. */
  readonly kind: string;
  /** Undefined for a dot. */
  readonly number: number | undefined;
  readonly isEmpty: boolean;
}

/** The blanks that a line begins with. */
export function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

/** Whether nothing stands in a line. */
export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** A fence of backticks or tildes, with the language that it names. */
export function fenceOf(line: string): Fence | undefined {
  const [, blanks = "", mark, rest = ""] = /^( {0,3})(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
  if (mark === undefined || (mark.startsWith("`") && rest.includes("`"))) return undefined;
  return { indent: blanks.length, mark, language: rest.trim().split(/\s/u, 1)[0] ?? "" };
}

/** Whether a line closes a fence. */
export function closesFence(line: string, { mark }: Fence): boolean {
  const text = line.trim();
  return indentOf(line) < 4 && text.length >= mark.length && text === (mark[0] ?? "").repeat(text.length);
}

/** A heading with its text. */
export function headingOf(line: string): { readonly level: number; readonly text: string } | undefined {
  const [whole, marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/u.exec(line) ?? [];
  if (whole === undefined || marks === undefined) return undefined;
  const text = line.slice(whole.length).trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const isClosed = end === 0 || (end < text.length && /\s/u.test(text[end - 1] ?? ""));
  return { level: marks.length, text: isClosed ? text.slice(0, end).trim() : text };
}

/** Whether a line is a rule across the page. */
export function isRule(line: string): boolean {
  if (indentOf(line) > 3) return false;
  const marks = line.replaceAll(/[ \t]/gu, "");
  return marks.length >= 3 && "-*_".includes(marks[0] ?? "x") && marks === (marks[0] ?? "").repeat(marks.length);
}

/** Whether a line is quoted. */
export function isQuote(line: string): boolean {
  return /^ {0,3}>/u.test(line);
}

/** The beginning of an item of a list. */
export function markerOf(line: string): Marker | undefined {
  const [whole, blanks = "", mark = "", gap = ""] =
    /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?! )| (?= )|$)/u.exec(line) ?? [];
  if (whole === undefined || isRule(line)) return undefined;
  const isNumber = mark.length > 1;
  return {
    indent: blanks.length,
    contentIndent: blanks.length + mark.length + Math.max(1, gap.length),
    kind: mark.at(-1) ?? "",
    number: isNumber ? Number.parseInt(mark, 10) : undefined,
    isEmpty: isBlank(line.slice(whole.length)),
  };
}

/** Whether a line ends the paragraph before it. An empty item, or a number in the middle of a sentence, does not. */
export function interrupts(line: string): boolean {
  if (fenceOf(line) !== undefined || headingOf(line) !== undefined || isRule(line) || isQuote(line)) return true;
  const marker = markerOf(line);
  return marker !== undefined && !marker.isEmpty && (marker.number === undefined || marker.number === 1);
}

const MOST_COLUMNS = 64;

/** Whether a table begins with these two lines: its head, and the line of dashes below it. */
export function beginsTable(head: string, dashes: string | undefined): boolean {
  if (dashes === undefined || !head.includes("|") || !/^[ \t|:-]+$/u.test(dashes) || !dashes.includes("-"))
    return false;
  const columns = cellsOf(dashes);
  if (columns.length > MOST_COLUMNS || columns.length !== cellsOf(head).length) return false;
  return columns.every((cell) => /^:?-+:?$/u.test(cell));
}

/** Makes a table of its lines. Cells that are too many are left out, and those that are too few are empty. */
export function toTable(head: string, dashes: string, rows: readonly string[]): TableBlock {
  const titles = cellsOf(head);
  return {
    type: "table",
    aligns: cellsOf(dashes).map((cell) => {
      if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
      return cell.startsWith(":") ? "left" : undefined;
    }),
    head: titles,
    rows: rows.map((row) => {
      const cells = cellsOf(row);
      return titles.map((_, index) => cells[index] ?? "");
    }),
  };
}

/** The cells between the bars; one after a backslash is a bar of the text. */
function cellsOf(line: string): readonly string[] {
  const text = line.trim();
  const cells = [""];
  for (let at = text.startsWith("|") ? 1 : 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && text[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at += 1;
    } else if (character === "|") {
      if (at < text.length - 1) cells.push("");
    } else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.trim());
}
