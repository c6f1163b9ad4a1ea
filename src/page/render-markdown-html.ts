import { parseMarkdown, type MarkdownNode } from "./parse-markdown.ts";
import { plainText } from "../terminal/index.ts";
import { escapeHtml } from "./html-parts.ts";

/** A longer text is shown as it is written: nobody reads it for its headings. */
const MOST_CHARACTERS = 200_000;

interface MarkdownOptions {
  /** Whether every line end is a break, as people mean it who type a prompt. */
  readonly breaks?: boolean;
  /** Whether it stands inside a link, where no other may be. */
  readonly isInLink?: boolean;
}

/** A Markdown text as HTML that is safe whoever wrote it: only tags of ours, links that lead to the web, nothing that loads. */
export function renderMarkdownHtml(text: string, options: MarkdownOptions = {}): string {
  if (text.length > MOST_CHARACTERS) return `<pre>${escapeHtml(text)}</pre>`;
  // Before it is taken apart: a colour of the terminal has a bracket in it.
  return renderAll(parseMarkdown(plainText(text)), options, "\n");
}

function renderAll(nodes: readonly MarkdownNode[], options: MarkdownOptions, between = ""): string {
  return nodes.map((node) => (RENDERERS[node.type] ?? renderText)(node, options)).join(between);
}

type Render = (node: MarkdownNode, options: MarkdownOptions) => string;

const renderText: Render = ({ token }) => escapeHtml(token.content);

function tagged(tag: string, between = ""): Render {
  return ({ children }, options) => `<${tag}>${renderAll(children, options, between)}</${tag}>`;
}

const RENDERERS: Readonly<Record<string, Render>> = {
  inline: ({ children }, options) => renderAll(children, options),
  code_inline: (node, options) => `<code>${renderText(node, options)}</code>`,
  softbreak: (_, { breaks = false }) => (breaks ? "<br>" : "\n"),
  hardbreak: (_, { breaks = false }) => (breaks ? "<br>" : "<br>\n"),
  strong: tagged("strong"),
  em: tagged("em"),
  s: tagged("del"),
  link: renderNamed,
  image: renderPicture,
  paragraph: (node, options) => (node.token.hidden ? renderAll(node.children, options) : tagged("p")(node, options)),
  // The page has headings of its own above these.
  heading: (node, options) => tagged(`h${Math.min(6, Number(node.token.tag.slice(1)) + 2)}`)(node, options),
  hr: () => "<hr>",
  fence: renderCode,
  code_block: renderCode,
  blockquote: tagged("blockquote", "\n"),
  bullet_list: ({ children }, options) => `<ul>\n${renderAll(children, options, "\n")}\n</ul>`,
  ordered_list: ({ token, children }, options) => {
    const start = token.attrGet("start");
    return `<ol${start === null ? "" : ` start="${start}"`}>\n${renderAll(children, options, "\n")}\n</ol>`;
  },
  list_item: renderItem,
  table: (node, options) => `<div class="scroll" tabindex="0">${tagged("table")(node, options)}</div>`,
  thead: tagged("thead"),
  tbody: ({ children }, options) => `<tbody>\n${renderAll(children, options, "\n")}\n</tbody>`,
  tr: tagged("tr"),
  th: renderCell,
  td: renderCell,
};

function renderCode({ token }: MarkdownNode): string {
  const language = token.info.trim().split(/\s/u, 1)[0] ?? "";
  const label = language === "" ? "" : `<span class="language">${escapeHtml(language.slice(0, 30))}</span>`;
  const code = escapeHtml(token.content.replace(/\n$/u, ""));
  return `<div class="code">${label}<pre tabindex="0"><code>${code}</code></pre></div>`;
}

function renderItem({ token, children }: MarkdownNode, options: MarkdownOptions): string {
  const inner = renderAll(children, options, "\n");
  const task = token.meta as { readonly isDone: boolean } | null;
  if (!task) return `<li>${inner}</li>`;
  const [word, sign] = task.isDone ? ["done", "☑"] : ["to do", "☐"];
  return `<li class="task"><span class="box" role="img" aria-label="${word}">${sign}</span> ${inner}</li>`;
}

function renderCell({ type, token, children }: MarkdownNode, options: MarkdownOptions): string {
  const [align] = /left|right|center/u.exec(String(token.attrGet("style") ?? "")) ?? [];
  return `<${type}${align === undefined ? "" : ` class="${align}"`}>${renderAll(children, options)}</${type}>`;
}

function renderNamed({ token, children }: MarkdownNode, options: MarkdownOptions): string {
  const target = String(token.attrGet("href") ?? "");
  const said = renderAll(children, { ...options, isInLink: true });
  // What is in angle brackets and leads nowhere is no link.
  if (token.markup === "autolink" && parseUrl(target) === undefined) return `&lt;${said}&gt;`;
  return options.isInLink === true
    ? said
    : renderLink(target, said.trim() === "" ? escapeHtml(target) : said, textOf(children));
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map(({ token, children }) => token.content + textOf(children)).join("");
}

/** A picture of a text is never loaded: whoever wrote it would learn that it is being read. */
function renderPicture({ token }: MarkdownNode, { isInLink = false }: MarkdownOptions): string {
  const name = `[Image: ${token.content === "" ? "no description" : token.content}]`;
  return isInLink ? escapeHtml(name) : renderLink(String(token.attrGet("src") ?? ""), escapeHtml(name), name);
}

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

function parseUrl(target: string): URL | undefined {
  // The parser drops tabs and line ends inside an address, so that `java\nscript:` would be one.
  const isOpen = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(target) && URL.canParse(target);
  return isOpen ? new URL(target) : undefined;
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
