import { formatTable, plainText, widthOf, wrapText, type Terminal } from "../terminal/index.ts";
import { parseMarkdown, type MarkdownNode } from "./parse-markdown.ts";

/** Longer lines of prose are hard to read, however wide the terminal is. */
const WIDEST_PROSE = 100;
const LEAST_COLUMNS = 20;

/** A Markdown text for a terminal: prose wrapped at words, code as it is written, tables and lists in columns. */
export function renderMarkdownText(text: string, terminal: Terminal): string {
  // Before it is taken apart: a colour of the terminal has a bracket in it.
  const nodes = parseMarkdown(plainText(text));
  return blockLines(nodes, { terminal, columns: terminal.columns })
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

interface Place {
  readonly terminal: Terminal;
  readonly columns: number;
  /** Whether blocks follow each other without an empty line. */
  readonly isTight?: boolean;
}

function blockLines(nodes: readonly MarkdownNode[], place: Place): readonly string[] {
  return nodes.flatMap((node, index) => {
    const lines = linesOf(node, place);
    return index === 0 || place.isTight ? lines : ["", ...lines];
  });
}

function linesOf(node: MarkdownNode, place: Place): readonly string[] {
  const { token, children } = node;
  const { bold, dim, underline } = place.terminal.colors;
  switch (node.type) {
    case "heading":
      return prose(children, place, token.tag === "h1" ? (word) => bold(underline(word)) : bold);
    case "hr":
      return [dim("─".repeat(Math.min(place.columns, 40)))];
    case "fence":
    case "code_block":
      // As it is written: whoever copies a line wants the whole of it.
      return token.content
        .replace(/\n$/u, "")
        .split("\n")
        .map((line) => `    ${line}`);
    case "blockquote":
      return blockLines(children, within(place, 2)).map((line) => `${dim("│")} ${line}`);
    case "bullet_list":
      return children.flatMap((item, index) => itemLines(item, dim("•"), { place, index }));
    case "ordered_list": {
      const start = Number(token.attrGet("start") ?? 1);
      return children.flatMap((item, index) => itemLines(item, dim(`${start + index}.`), { place, index }));
    }
    case "table":
      return tableLines(node, place);
    default:
      return prose(children.length > 0 ? children : [node], place);
  }
}

function within(place: Place, margin: number): Place {
  return { ...place, columns: Math.max(place.columns - margin, LEAST_COLUMNS) };
}

/** An address that is longer than a line stays whole, so that it can be followed. */
function prose(nodes: readonly MarkdownNode[], { terminal, columns }: Place, paint?: Paint): readonly string[] {
  return wrapText(spans(nodes, terminal, paint), Math.min(columns, WIDEST_PROSE));
}

/** An item: its text beside the mark, and what is nested in it below. Items with several paragraphs are kept apart. */
function itemLines(
  { token, children }: MarkdownNode,
  bullet: string,
  { place, index }: { readonly place: Place; readonly index: number },
): readonly string[] {
  const task = token.meta as { readonly isDone: boolean } | null;
  const box = task ? `[${task.isDone ? "x" : " "}]` : "";
  // A box says that it is an item, but not which one.
  const mark = box === "" ? bullet : token.info === "" ? box : `${bullet} ${box}`;
  const margin = widthOf(mark) + 1;
  const isTight = children.every(({ type, token: { hidden } }) => type !== "paragraph" || hidden);
  const [first = "", ...rest] = blockLines(children, { ...within(place, margin), isTight });
  const lines = [`${mark} ${first}`, ...rest.map((line) => `${" ".repeat(margin)}${line}`)];
  return index === 0 || isTight ? lines : ["", ...lines];
}

function tableLines(table: MarkdownNode, { terminal, columns }: Place): readonly string[] {
  const [head, ...body] = rowsOf(table);
  const cellText = (cell: MarkdownNode): string => spans(cell.children, terminal).replaceAll("\n", " ");
  const named = (head ?? []).map((cell) => ({
    name: textOf(cell.children),
    narrow: "wrap" as const,
    align: /right/u.test(String(cell.token.attrGet("style") ?? "")) ? ("right" as const) : ("left" as const),
  }));
  const text = formatTable({ columns: named, rows: body.map((row) => row.map(cellText)) }, { ...terminal, columns });
  return text.replace(/\n$/u, "").split("\n");
}

function rowsOf({ type, children }: MarkdownNode): readonly (readonly MarkdownNode[])[] {
  return type === "tr" ? [children] : children.flatMap(rowsOf);
}

type Paint = (text: string) => string;

/** What stands in a line. Each word is painted by itself, so that a line that is broken keeps its colours. */
function spans(nodes: readonly MarkdownNode[], terminal: Terminal, paint: Paint = String): string {
  return nodes.map((node) => spanOf(node, terminal, paint)).join("");
}

function spanOf({ type, token, children }: MarkdownNode, terminal: Terminal, paint: Paint): string {
  const { bold, cyan, dim, italic, strikethrough, underline } = terminal.colors;
  const inside = (own: Paint): string => spans(children, terminal, (word) => own(paint(word)));
  switch (type) {
    case "softbreak":
      return " ";
    case "hardbreak":
      return "\n";
    case "strong":
      return inside(bold);
    case "em":
      return inside(italic);
    case "s":
      return inside(strikethrough);
    case "code_inline":
      return byWord(token.content, (word) => cyan(paint(word)));
    case "link":
      return linkText({
        target: String(token.attrGet("href") ?? ""),
        shown: inside(underline),
        text: textOf(children),
        dim,
      });
    case "image":
      return byWord(`[Image: ${token.content || "no description"}] (${String(token.attrGet("src") ?? "")})`, dim);
    default:
      return children.length > 0 ? spans(children, terminal, paint) : byWord(token.content, paint);
  }
}

/** Where a link leads is always said: its text may claim anything. */
function linkText(link: {
  readonly target: string;
  readonly shown: string;
  readonly text: string;
  readonly dim: Paint;
}): string {
  const { target, shown, text, dim } = link;
  return text === target ? shown : `${shown} ${byWord(`(${target})`, dim)}`;
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map(({ token, children }) => (children.length > 0 ? textOf(children) : token.content)).join("");
}

function byWord(text: string, paint: Paint): string {
  return text.replaceAll(/\S+/gu, (word) => paint(word));
}
