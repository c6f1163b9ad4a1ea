import { formatCount } from "../format-amounts.ts";
import { escapeHtml } from "./escape-html.ts";
import type { Boilerplate } from "./said.ts";
import { patchLine, type DiffLine } from "./tool-diff.ts";

/** Characters of one block; a page of a hundred megabytes opens nowhere. */
const MOST_CHARACTERS = 200_000;

/** Text in a fixed width, as a command printed it. */
export function renderPre(text: string, className = "output"): string {
  const shown = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text;
  const left = text.length - shown.length;
  const rest =
    left > 0 ? `<p class="placeholder">${formatCount(left)} more characters: --format text has them</p>` : "";
  return `<pre class="${className}" tabindex="0">${escapeHtml(shown.replace(/\s+$/u, ""))}</pre>${rest}`;
}

/** A change, line by line, with the signs of a patch: nobody has to tell the colours apart. */
export function renderDiff(lines: readonly DiffLine[]): string {
  const shown = lines.slice(0, MOST_LINES).map((line) => {
    const kind = "place" in line ? "place" : (line.change ?? "same");
    return `<span class="${kind}">${escapeHtml(patchLine(line).slice(0, 4000))}</span>`;
  });
  const left = lines.length - shown.length;
  const rest = left > 0 ? `<p class="placeholder">${formatCount(left)} more lines</p>` : "";
  return `<pre class="diff" tabindex="0">${shown.join("")}</pre>${rest}`;
}

const MOST_LINES = 5000;

/** What opens when it is asked for. */
export function renderFolded(
  summary: string,
  body: string,
  { className, isOpen = false }: { readonly className: string; readonly isOpen?: boolean },
): string {
  return `<details class="${className}"${isOpen ? " open" : ""}><summary>${summary}</summary><div class="body">${body}</div></details>`;
}

/** What the CLI added to a message, folded, a line each. */
export function renderBoilerplate(boilerplate: readonly Boilerplate[]): string {
  return boilerplate
    .map(({ tag, text }) => {
      const name = `<span class="quiet">${escapeHtml(tag.replaceAll(/[-_]/gu, " "))}</span>`;
      return renderFolded(name, renderPre(text), { className: "fold" });
    })
    .join("");
}
