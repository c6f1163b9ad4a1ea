import type { Image } from "../../transcript/index.ts";
import { formatBytes } from "../format-amounts.ts";
import { escapeHtml } from "./escape-html.ts";

/** The kinds of images that hold nothing but a picture; a drawing in SVG can hold more. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MOST_BYTES = 20_000_000;

/** An image, where the transcript holds it, and else what is known of it. One that lies elsewhere is never loaded. */
export function renderImage(image: Image, index: number): string {
  const { mediaType, data } = image;
  const isShown = data !== undefined && PICTURES.has(mediaType) && data.length < MOST_BYTES && isBase64(data);
  if (!isShown) return `<p class="placeholder">${escapeHtml(describeImage(image))}</p>`;
  const caption = escapeHtml(describeImage(image));
  return `<figure><img src="data:${mediaType};base64,${data}" alt="Image ${index + 1} of this message" loading="lazy"><figcaption>${caption}</figcaption></figure>`;
}

/** An image in words. */
export function describeImage({ mediaType, data, url }: Image): string {
  const kind = mediaType === "" ? "of an unknown kind" : mediaType;
  const size = data === undefined ? "" : `, ${formatBytes(Math.floor((data.length * 3) / 4))}`;
  return `Image (${kind}${size})${url === undefined ? "" : ` at ${url}`}`;
}

function isBase64(data: string): boolean {
  return data !== "" && !/[^A-Za-z0-9+/=]/u.test(data);
}
