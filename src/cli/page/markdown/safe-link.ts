import { escapeHtml } from "../escape-html.ts";

const OPEN = new Set(["http:", "https:", "mailto:"]);

/**
 * A link, with its text as HTML. It leads somewhere only where it is a whole address of the web or of mail: everything else, a script or a
 * file of the machine too, is text that names its target. An address that its text claims to be another is told.
 */
export function renderLink(target: string, html: string, text: string): string {
  const url = parseUrl(target);
  if (url === undefined) return `<span class="inert" title="${escapeHtml(target)}">${html}</span>`;
  const href = escapeHtml(url.href);
  const link = `<a href="${href}" title="${href}" rel="noopener noreferrer nofollow">${html}</a>`;
  return isMisleading(text, url)
    ? `${link} <span class="inert">(${escapeHtml(url.host || url.pathname)})</span>`
    : link;
}

/** Whether an address may be followed. */
export function isOpenLink(target: string): boolean {
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
