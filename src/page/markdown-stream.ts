import { createPlainTextStream, type Terminal } from "../terminal/index.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { renderMarkdownText } from "./render-markdown-text.ts";

/** Renders a Markdown text that comes in pieces: each block is given as soon as nothing that follows can change it. */
export interface MarkdownStream {
  /** Takes a piece, and gives the blocks that it completes, rendered; often none. */
  add(piece: string): readonly string[];
  /** The text has ended: gives what is left of it. */
  end(): readonly string[];
}

export function createMarkdownStream(terminal: Terminal): MarkdownStream {
  let plain = createPlainTextStream();
  let pending = "";
  const render = (text: string): readonly string[] => (text.trim() === "" ? [] : [renderMarkdownText(text, terminal)]);
  return {
    add(piece) {
      const text = plain(piece);
      pending += text;
      if (!text.includes("\n")) return [];
      const end = endOfComplete(pending);
      const complete = pending.slice(0, end);
      pending = pending.slice(end);
      return render(complete);
    },
    end() {
      const rest = pending;
      pending = "";
      plain = createPlainTextStream();
      return render(rest);
    },
  };
}

/** Blocks that an empty line ends, whatever comes after it. */
const ENDS_BY_EMPTY_LINE = new Set(["paragraph", "heading", "hr", "table"]);

/** Where the last block begins, which the next piece may go on with; the end of the text where it is over too. */
function endOfComplete(text: string): number {
  const blocks = parseMarkdown(text);
  const last = blocks.at(-1);
  if (!last) return 0;
  if (ENDS_BY_EMPTY_LINE.has(last.type) && /\n[ \t]*\n$/u.test(text)) return text.length;
  const startLine = last.token.map?.[0] ?? 0;
  return text
    .split("\n")
    .slice(0, startLine)
    .reduce((sum, line) => sum + line.length + 1, 0);
}
