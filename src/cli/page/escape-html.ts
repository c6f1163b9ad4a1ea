import { plainText } from "../plain-text.ts";

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
