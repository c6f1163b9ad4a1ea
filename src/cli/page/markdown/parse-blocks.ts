import {
  type Block,
  type ListItem,
  closesFence,
  fenceOf,
  headingOf,
  indentOf,
  interrupts,
  isBlank,
  isQuote,
  isRule,
  markerOf,
  type Fence,
  type Marker,
  beginsTable,
  toTable,
} from "./blocks.ts";

/** Lists and quotes inside each other; what is deeper stands there as it was written. Without an end, a text could use up the stack. */
const MOST_NESTED = 16;

/** Reads the blocks of a Markdown text: what agents write of CommonMark, and tables. Every line is looked at a few times at most. */
export function parseBlocks(text: string): readonly Block[] {
  const lines = text.replaceAll(/\r\n?/gu, "\n").split("\n").map(expandTabs);
  return parseLines(lines, 0);
}

/** A reader of lines: each step takes as many as its block has. */
interface Reader {
  readonly lines: readonly string[];
  readonly depth: number;
  at: number;
}

function parseLines(lines: readonly string[], depth: number): readonly Block[] {
  const reader: Reader = { lines, depth, at: 0 };
  const blocks: Block[] = [];
  while (reader.at < lines.length) {
    if (isBlank(lines[reader.at] ?? "")) reader.at += 1;
    else blocks.push(takeBlock(reader));
  }
  return blocks;
}

function takeBlock(reader: Reader): Block {
  const line = reader.lines[reader.at] ?? "";
  if (indentOf(line) > 3) return takeIndentedCode(reader);
  const fence = fenceOf(line);
  if (fence) return takeFenced(reader, fence);
  const heading = headingOf(line);
  if (heading) {
    reader.at += 1;
    return { type: "heading", ...heading };
  }
  if (isRule(line)) {
    reader.at += 1;
    return { type: "rule" };
  }
  if (reader.depth < MOST_NESTED) {
    if (isQuote(line)) return takeQuote(reader);
    const marker = markerOf(line);
    if (marker) return takeList(reader, marker);
  }
  if (beginsTable(line, reader.lines[reader.at + 1])) return takeTable(reader);
  return takeParagraph(reader);
}

function takeIndentedCode(reader: Reader): Block {
  const taken: string[] = [];
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    if (!isBlank(line) && indentOf(line) < 4) break;
    taken.push(line.slice(4));
    reader.at += 1;
  }
  while (isBlank(taken.at(-1) ?? "x")) taken.pop();
  return { type: "code", language: "", text: taken.join("\n") };
}

function takeFenced(reader: Reader, fence: Fence): Block {
  const taken: string[] = [];
  reader.at += 1;
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    reader.at += 1;
    if (closesFence(line, fence)) break;
    taken.push(line.slice(Math.min(fence.indent, indentOf(line))));
  }
  return { type: "code", language: fence.language, text: taken.join("\n") };
}

function takeQuote(reader: Reader): Block {
  const inner: string[] = [];
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    // A line that goes on with the paragraph of a quote belongs to it without its mark.
    if (!isQuote(line) && (isBlank(line) || isBlank(inner.at(-1) ?? "") || interrupts(line))) break;
    inner.push(line.replace(/^ {0,3}> ?/u, ""));
    reader.at += 1;
  }
  return { type: "quote", blocks: parseLines(inner, reader.depth + 1) };
}

function takeList(reader: Reader, first: Marker): Block {
  const items: ListItem[] = [];
  let isTight = true;
  for (let marker: Marker | undefined = first; marker?.kind === first.kind;) {
    const { item, hasGap } = takeItem(reader, marker);
    items.push(item);
    const next = reader.lines[reader.at];
    marker = next === undefined ? undefined : markerOf(next);
    // A blank line at the end of a list does not spread it.
    const isLast = marker?.kind !== first.kind;
    if ((hasGap && !isLast) || hasGapInside(item)) isTight = false;
  }
  return { type: "list", start: first.number, isTight, items };
}

/** Two paragraphs in an item can only be apart. */
function hasGapInside({ blocks }: ListItem): boolean {
  return blocks.filter(({ type }) => type === "paragraph").length > 1;
}

function takeItem(reader: Reader, marker: Marker): { readonly item: ListItem; readonly hasGap: boolean } {
  const inner = [(reader.lines[reader.at] ?? "").slice(marker.contentIndent)];
  // Many write two blanks where the text of a number begins after three.
  const least = Math.min(marker.contentIndent, marker.indent + 2);
  let blanks = 0;
  reader.at += 1;
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    if (isBlank(line)) blanks += 1;
    else {
      const isInside = indentOf(line) >= least;
      if (!isInside && (blanks > 0 || interrupts(line) || markerOf(line) !== undefined)) break;
      for (; blanks > 0; blanks -= 1) inner.push("");
      inner.push(line.slice(Math.min(marker.contentIndent, indentOf(line))));
    }
    reader.at += 1;
  }
  const [, box] = /^\[([ xX])\](?: |$)/u.exec(inner[0] ?? "") ?? [];
  if (box !== undefined) inner[0] = (inner[0] ?? "").slice(4);
  return {
    item: { isDone: box === undefined ? undefined : box !== " ", blocks: parseLines(inner, reader.depth + 1) },
    hasGap: blanks > 0,
  };
}

function takeTable(reader: Reader): Block {
  const [head = "", dashes = ""] = reader.lines.slice(reader.at, reader.at + 2);
  const rows: string[] = [];
  reader.at += 2;
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    if (isBlank(line) || interrupts(line)) break;
    rows.push(line);
    reader.at += 1;
  }
  return toTable(head, dashes, rows);
}

function takeParagraph(reader: Reader): Block {
  const taken = [reader.lines[reader.at] ?? ""];
  reader.at += 1;
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? "";
    const [, underline] = /^ {0,3}(=+|-+)[ \t]*$/u.exec(line) ?? [];
    if (underline !== undefined) {
      reader.at += 1;
      return { type: "heading", level: underline.startsWith("=") ? 1 : 2, text: joinLines(taken) };
    }
    if (isBlank(line) || interrupts(line) || beginsTable(line, reader.lines[reader.at + 1])) break;
    taken.push(line);
    reader.at += 1;
  }
  return { type: "paragraph", text: joinLines(taken) };
}

/** Blanks before a line mean nothing in Markdown; where somebody pasted code into a prompt, they are worth seeing. */
function joinLines(lines: readonly string[]): string {
  return lines.join("\n").trim();
}

function expandTabs(line: string): string {
  const [leading = ""] = /^[ \t]*/u.exec(line) ?? [];
  return leading.includes("\t") ? leading.replaceAll("\t", "    ") + line.slice(leading.length) : line;
}
