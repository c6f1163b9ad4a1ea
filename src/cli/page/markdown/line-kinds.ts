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
