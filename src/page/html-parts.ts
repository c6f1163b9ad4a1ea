import { plainText, formatCount, formatBytes } from "../terminal/index.ts";
import type { Boilerplate } from "./said.ts";
import { patchLine, type DiffLine } from "./tool-parts.ts";
import type { Image } from "../transcript/internal.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text of a transcript as it may stand in a page, inside an attribute too: neither markup nor anything that turns text around. */
export function escapeHtml(text: string): string {
  return plainText(text).replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);
}

/** Characters of one block; a page of a hundred megabytes opens nowhere. */
const MOST_CHARACTERS = 200_000;

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

/** The kinds of images that hold nothing but a picture; a drawing in SVG can hold more. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MOST_BYTES = 20_000_000;

/** An image, where the transcript holds it, and else what is known of it. One that lies elsewhere is never loaded. */
export function renderImage(image: Image, index: number): string {
  const { mediaType, data } = image;
  const isShown = data !== undefined && PICTURES.has(mediaType) && data.length < MOST_BYTES && isBase64(data);
  const caption = escapeHtml(describeImage(image));
  if (!isShown) return `<p class="placeholder">${caption}</p>`;
  return `<figure><img src="data:${mediaType};base64,${data}" alt="Image ${index + 1} of this message" loading="lazy"><figcaption>${caption}</figcaption></figure>`;
}

export function describeImage({ mediaType, data, url }: Image): string {
  const kind = mediaType === "" ? "of an unknown kind" : mediaType;
  const size = data === undefined ? "" : `, ${formatBytes(Math.floor((data.length * 3) / 4))}`;
  return `Image (${kind}${size})${url === undefined ? "" : ` at ${url}`}`;
}

function isBase64(data: string): boolean {
  return data !== "" && !/[^A-Za-z0-9+/=]/u.test(data);
}
