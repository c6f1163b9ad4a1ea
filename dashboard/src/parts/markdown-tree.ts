import MarkdownIt, { type Token } from "markdown-it";
import { plainText } from "./plain.ts";

/** A piece of a Markdown text: the name of its element and what is in it, or a text. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: string;
  readonly children: readonly MarkdownNode[];
  /** Of a link: an address of the web or of mail, nothing else. */
  readonly href?: string;
  /** Of a block of code: its language, as it was written. */
  readonly language?: string;
  /** Of a list: its first number. */
  readonly start?: number;
  /** Of a table's cell. */
  readonly align?: "left" | "center" | "right";
}

const SAFE = /^(?:https?:|mailto:)/iu;

// Raw HTML stays text, and pictures of elsewhere are not loaded: a transcript must not call home.
const parser = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable(["image", "reference"]);
parser.validateLink = (address) => SAFE.test(address.trim());

/** Reads Markdown as data: the page makes its elements of it, so that no text becomes markup. */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  const tokens = parser.parse(plainText(text), {});
  return nodesOf(tokens, { at: 0 });
}

function nodesOf(tokens: readonly Token[], place: { at: number }): readonly MarkdownNode[] {
  const nodes: MarkdownNode[] = [];
  while (place.at < tokens.length) {
    const token = tokens[place.at++] as Token;
    if (token.nesting === -1) return nodes;
    if (token.nesting === 1) {
      const children = nodesOf(tokens, place);
      // A paragraph of a tight list has no element of its own.
      if (token.hidden) nodes.push(...children);
      else nodes.push({ tag: token.tag, children, ...about(token) });
    } else nodes.push(...single(token));
  }
  return nodes;
}

function single(token: Token): readonly MarkdownNode[] {
  switch (token.type) {
    case "inline":
      return nodesOf(token.children ?? [], { at: 0 });
    case "fence":
    case "code_block": {
      const [language] = token.info.trim().split(/\s/u, 1);
      const code = token.content.replace(/\n$/u, "");
      return [{ tag: "pre", children: [code], ...(language ? { language } : {}) }];
    }
    case "code_inline":
      return [{ tag: "code", children: [token.content] }];
    case "softbreak":
      return ["\n"];
    case "hardbreak":
      return [{ tag: "br", children: [] }];
    case "hr":
      return [{ tag: "hr", children: [] }];
    default:
      return token.content === "" ? [] : [token.content];
  }
}

function about(token: Token): Partial<MarkdownElement> {
  const attribute = (name: string): string | undefined => {
    const value = token.attrs?.find(([key]) => key === name)?.[1];
    return value === undefined || value === null ? undefined : String(value);
  };
  const href = attribute("href");
  const start = Number(attribute("start") ?? Number.NaN);
  const align = /text-align:(left|center|right)/u.exec(attribute("style") ?? "")?.[1];
  return {
    ...(href !== undefined && SAFE.test(href) ? { href } : {}),
    ...(Number.isInteger(start) ? { start } : {}),
    ...(align === undefined ? {} : { align: align as "left" | "center" | "right" }),
  };
}
