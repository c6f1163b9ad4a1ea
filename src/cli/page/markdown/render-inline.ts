import { escapeHtml } from "../html-parts.ts";
import { pairDelimiters, type Delimiter, type Piece } from "./pair-delimiters.ts";

/** How a line is shown. */
export interface InlineOptions {
  /** Whether every line end is a break, as people mean it who type a prompt. */
  readonly breaks?: boolean;
  /** Whether it stands inside a link, where no other may be. */
  readonly isInLink?: boolean;
}

/** What is said inside a paragraph, as HTML: emphasis, code and links. Markup that stands in the text stays text, and no picture is loaded. */
export function renderInline(text: string, options: InlineOptions = {}): string {
  const line: Line = { text, at: 0, pieces: [], brackets: [], ticks: undefined, options };
  while (line.at < text.length) takePiece(line);
  pairDelimiters(line.pieces);
  return line.pieces.map(({ html }) => html).join("");
}

interface Line {
  readonly text: string;
  at: number;
  readonly pieces: Piece[];
  /** Brackets that may begin a link. */
  readonly brackets: Bracket[];
  /** Where rows of so many backticks begin. */
  ticks: ReadonlyMap<number, readonly number[]> | undefined;
  readonly options: InlineOptions;
}

interface Bracket {
  readonly piece: number;
  /** Where its text begins. */
  readonly start: number;
  readonly isImage: boolean;
}

/** Everything up to the next character that may mean something. */
const PLAIN = /[^\\`*_~[\]!<&\nh]+|h(?!ttps?:\/\/)/uy;
const ADDRESS = /https?:\/\/[^\s<>"'`\\{}|^[\]]{1,2000}/iuy;
const ENTITY = /&(?:amp|lt|gt|quot|nbsp|#39);/uy;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
  ["&nbsp;", "\u00a0"],
]);

function takePiece(line: Line): void {
  const { text, at } = line;
  switch (text[at]) {
    case "\\":
      return takeEscape(line);
    case "`":
      return takeCode(line);
    case "*":
    case "_":
    case "~":
      return takeDelimiter(line);
    case "[":
      return openBracket(line, 1);
    case "!":
      return text[at + 1] === "[" ? openBracket(line, 2) : push(line, "!", 1);
    case "]":
      return closeBracket(line);
    case "<":
      return takeAngle(line);
    case "&": {
      const entity = matchAt(ENTITY, text, at);
      return push(line, escapeHtml(ENTITIES.get(entity ?? "") ?? "&"), entity?.length ?? 1);
    }
    case "\n":
      return push(line, breakAt(line), 1);
    default:
      return takePlain(line);
  }
}

function breakAt({ text, at, options }: Line): string {
  if (options.breaks === true) return "<br>";
  return text[at - 1] === " " && text[at - 2] === " " ? "<br>\n" : "\n";
}

function takePlain(line: Line): void {
  const { text, at, options } = line;
  const address = options.isInLink === true ? undefined : matchAt(ADDRESS, text, at);
  if (address !== undefined) return takeAddress(line, address);
  const plain = matchAt(PLAIN, text, at) ?? text[at] ?? "";
  push(line, escapeHtml(plain), plain.length);
}

function push(line: Line, html: string, length: number): void {
  line.pieces.push({ html });
  line.at += length;
}

function takeEscape(line: Line): void {
  const next = line.text[line.at + 1] ?? "";
  if (next === "\n") return push(line, "<br>\n", 2);
  const isMark = /[!-/:-@[-`{-~]/u.test(next);
  push(line, escapeHtml(isMark ? next : "\\"), isMark ? 2 : 1);
}

function takeCode(line: Line): void {
  const { text, at } = line;
  line.ticks ??= findTicks(text);
  const length = runLength(text, at);
  const end = nextOf(line.ticks.get(length) ?? [], at + length);
  if (end === undefined) return push(line, "`".repeat(length), length);
  const code = text.slice(at + length, end).replaceAll("\n", " ");
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  push(line, `<code>${escapeHtml(isPadded ? code.slice(1, -1) : code)}</code>`, end + length - at);
}

function findTicks(text: string): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const {
    0: { length },
    index,
  } of text.matchAll(/`+/gu)) {
    const same = found.get(length) ?? [];
    same.push(index);
    found.set(length, same);
  }
  return found;
}

/** The first place from `from` on; by halves, so that a text of backticks alone takes no longer than others. */
function nextOf(places: readonly number[], from: number): number | undefined {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return places[low];
}

function takeDelimiter(line: Line): void {
  const { text, at } = line;
  const length = runLength(text, at);
  const mark = text[at] ?? "";
  // Ten stars in a row are an ornament.
  if (length > 6 || (mark === "~" && length > 2)) return push(line, mark.repeat(length), length);
  const [before, after] = [text[at - 1] ?? " ", text[at + length] ?? " "];
  line.pieces.push({ html: "", delimiter: { mark, length, left: length, ...sidesOf(mark, before, after) } });
  line.at += length;
}

/** Whether marks can open and close, by the characters around them: `2 * 3` and `snake_case` are no emphasis. */
function sidesOf(mark: string, before: string, after: string): Pick<Delimiter, "canOpen" | "canClose"> {
  const [isSpaceBefore, isSpaceAfter] = [/\s/u.test(before), /\s/u.test(after)];
  const [isSignBefore, isSignAfter] = [/[\p{P}\p{S}]/u.test(before), /[\p{P}\p{S}]/u.test(after)];
  const isLeft = !isSpaceAfter && (!isSignAfter || isSpaceBefore || isSignBefore);
  const isRight = !isSpaceBefore && (!isSignBefore || isSpaceAfter || isSignAfter);
  if (mark !== "_") return { canOpen: isLeft, canClose: isRight };
  return { canOpen: isLeft && (!isRight || isSignBefore), canClose: isRight && (!isLeft || isSignAfter) };
}

function openBracket(line: Line, length: number): void {
  line.brackets.push({ piece: line.pieces.length, start: line.at + length, isImage: length === 2 });
  push(line, length === 2 ? "![" : "[", length);
}

function closeBracket(line: Line): void {
  const bracket = line.brackets.pop();
  const target = bracket && line.options.isInLink !== true ? targetAt(line.text, line.at + 1) : undefined;
  if (!bracket || !target) return push(line, "]", 1);
  const said = line.text.slice(bracket.start, line.at);
  line.pieces.length = bracket.piece;
  line.pieces.push({ html: bracket.isImage ? renderPicture(said, target.url) : renderNamed(said, target.url) });
  line.at = target.end;
  // A link holds no other link.
  if (!bracket.isImage) line.brackets.length = 0;
}

/** Its text is read once more, as the text of a link. */
function renderNamed(said: string, url: string): string {
  return renderLink(url, said.trim() === "" ? escapeHtml(url) : renderInline(said, { isInLink: true }), said);
}

/** A picture of a text is never loaded: whoever wrote it would learn that it is being read. */
function renderPicture(alt: string, url: string): string {
  const name = `[Image: ${alt === "" ? "no description" : alt}]`;
  return isOpenLink(url)
    ? renderLink(url, escapeHtml(name), name)
    : `<span class="inert" title="${escapeHtml(url)}">${escapeHtml(name)}</span>`;
}

const TARGET =
  /\([ \n]{0,4}(?:<([^<>\n]{0,2000})>|([^\s()<]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,3}))(?:[ \n]{1,4}(?:"[^"]{0,500}"|'[^']{0,500}'))?[ \n]{0,4}\)/uy;

function targetAt(text: string, at: number): { readonly url: string; readonly end: number } | undefined {
  if (text[at] !== "(") return undefined;
  TARGET.lastIndex = at;
  const match = TARGET.exec(text);
  return match ? { url: match[1] ?? match[2] ?? "", end: at + match[0].length } : undefined;
}

function takeAngle(line: Line): void {
  const inside =
    line.options.isInLink === true
      ? undefined
      : matchAt(/<(?:https?:\/\/|mailto:)[^\s<>]{1,2000}>/iuy, line.text, line.at)?.slice(1, -1);
  if (inside === undefined) return push(line, "&lt;", 1);
  push(line, renderLink(inside, escapeHtml(inside), inside), inside.length + 2);
}

/** An address in a sentence: a full stop or a bracket at its end is the sentence's. */
function takeAddress(line: Line, found: string): void {
  let address = found.replace(/[.,:;!?*_~\]]{1,20}$/u, "");
  if (address.endsWith(")") && !address.includes("(")) address = address.slice(0, -1);
  push(line, renderLink(address, escapeHtml(address), address), address.length);
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const OPEN = new Set(["http:", "https:", "mailto:"]);

/**
 * A link, with its text as HTML. It leads somewhere only where it is a whole address of the web or of mail: everything else, a script or a
 * file of the machine too, is text that names its target. An address that its text claims to be another is told.
 */
function renderLink(target: string, html: string, text: string): string {
  const url = parseUrl(target);
  if (url === undefined) return `<span class="inert" title="${escapeHtml(target)}">${html}</span>`;
  const href = escapeHtml(url.href);
  const link = `<a href="${href}" title="${href}" rel="noopener noreferrer nofollow">${html}</a>`;
  return isMisleading(text, url)
    ? `${link} <span class="inert">(${escapeHtml(url.host || url.pathname)})</span>`
    : link;
}

/** Whether an address may be followed. */
function isOpenLink(target: string): boolean {
  return parseUrl(target) !== undefined;
}

function parseUrl(target: string): URL | undefined {
  // The parser drops tabs and line ends inside an address, so that `java\nscript:` would be one.
  if (!/^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(target) || !URL.canParse(target)) return undefined;
  const url = new URL(target);
  return OPEN.has(url.protocol) ? url : undefined;
}

/** A text that looks like an address has to be the one that it leads to; a name before the host is a host in disguise. */
function isMisleading(text: string, url: URL): boolean {
  if (url.username !== "" || url.password !== "") return true;
  const shown = /(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})/iu.exec(text.slice(0, 300))?.[1]?.toLowerCase();
  if (shown === undefined || url.protocol === "mailto:") return false;
  const host = url.hostname.toLowerCase();
  // `README.md` and the like look like addresses too: naming the host beside them does no harm.
  return shown !== host && `www.${shown}` !== host && !text.includes(host);
}
