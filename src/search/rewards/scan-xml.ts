import { ownValue } from "../../core/internal.ts";

interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
}

/** A comment, CDATA, a processing instruction, a doctype without an inner part, or a tag. */
const MARKUP =
  /<(?:!--[^]*?-->|!\[CDATA\[[^]*?\]\]>|\?[^]*?\?>|!DOCTYPE[^[>]*>|(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/y;

const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads the elements of an XML document and nothing else of it: no entities of its own, no namespaces. False where the
 * document is not well formed: a tag that is cut off, not closed, or closed by another.
 */
export function scanXml(text: string, listener: XmlListener): boolean {
  const open: string[] = [];
  let roots = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    MARKUP.lastIndex = at;
    const match = MARKUP.exec(text);
    if (!match) return false;
    at = MARKUP.lastIndex;
    const [, slash, name, attributes = "", empty] = match;
    if (name === undefined) continue;
    if (slash) {
      if (open.pop() !== name) return false;
      listener.close(name);
      continue;
    }
    if (open.length === 0) roots += 1;
    listener.open(name, readAttributes(attributes));
    if (empty) listener.close(name);
    else open.push(name);
  }
  return roots === 1 && open.length === 0;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)];
  return new Map(found.map(([, name = "", double, single]) => [name, decode(double ?? single ?? "")]));
}

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ownValue(ENTITIES, name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
