// Control characters but line ends and tabs, what turns the direction of writing, what has no width, and halves of characters.
const HIDDEN =
  /(?![\n\t])\p{Cc}|[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]|\p{Cs}/gu;

/** A text of an agent's with what cannot be seen written out: what a person allows is what they have read. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** The same of all texts in a tool's input. */
export function visibleInput(input: unknown): unknown {
  if (typeof input === "string") return visibleText(input);
  if (Array.isArray(input)) return input.map(visibleInput);
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [visibleText(name), visibleInput(value)]));
}
