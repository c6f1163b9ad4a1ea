import createMarkdownIt, {
  type MarkdownIt,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from "markdown-it";

/** A block of a Markdown text, or a piece of a line. */
export interface MarkdownNode {
  /** What markdown-it calls its token, without `_open`. */
  readonly type: string;
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** Reads a Markdown text. HTML in it is text; whether a link may be followed is up to whoever shows it. */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return toTree(PARSER.parse(text, {}));
}

/** Emphasis in emphasis: of what is deeper only the text is left, so that no text can use up the stack. */
const MOST_OPEN = 64;

function toTree(tokens: readonly Token[]): readonly MarkdownNode[] {
  const top: MarkdownNode[] = [];
  const open = [top];
  for (const token of tokens) {
    const around = open.at(-1) ?? top;
    if (token.nesting === -1) open.pop();
    else if (token.nesting === 1 && open.length > MOST_OPEN) open.push(around);
    else {
      const children = token.type === "inline" ? [...toTree(token.children ?? [])] : [];
      around.push({ type: token.type.replace(/_open$/u, ""), token, children });
      if (token.nesting === 1) open.push(children);
    }
  }
  return top;
}

const PARSER = createParser();

function createParser(): MarkdownIt {
  const parser = new createMarkdownIt({ html: false, linkify: true });
  parser.validateLink = () => true;
  parser.normalizeLink = parser.normalizeLinkText = String;
  // The definition of a link is text that nobody would see.
  parser.disable("reference");
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const scheme of ["ftp:", "mailto:", "//"]) parser.linkify.add(scheme, null);
  parser.core.ruler.after("block", "tasks", markTasks);
  parser.block.ruler.before("table", "deep", keepDeep);
  parser.inline.ruler.at("newline", keepLineEnd);
  return parser;
}

/** Moves the box of `- [x] done` from the text to its item. */
function markTasks({ tokens }: StateCore): void {
  for (const [at, item] of tokens.entries()) {
    const line = item.type === "list_item_open" ? tokens[at + 2] : undefined;
    const [box, mark] = /^\[([ xX])\](?: |$)/u.exec(line?.content ?? "") ?? [];
    if (line === undefined || box === undefined) continue;
    line.content = line.content.slice(box.length);
    item.meta = { isDone: mark !== " " };
  }
}

/** Quotes and lists inside each other, a list counting twice. */
const MOST_LEVELS = 16;

/** What is nested deeper stands there as it was written; the parser's own limit would leave it out. */
function keepDeep(state: StateBlock, start: number, end: number, isSilent: boolean): boolean {
  const takeParagraph = state.md.block.ruler.getRules("").at(-1);
  return state.level >= MOST_LEVELS && takeParagraph?.(state, start, end, isSilent) === true;
}

/** Blanks around a line end mean nothing in Markdown; where somebody pasted code into a prompt, they are worth seeing. */
function keepLineEnd(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== "\n") return false;
  if (!isSilent) state.push(state.pending.endsWith("  ") ? "hardbreak" : "softbreak", "br", 0);
  state.pos += 1;
  return true;
}
