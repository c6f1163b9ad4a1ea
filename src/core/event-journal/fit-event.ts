/** A line of a journal is not longer than this, whatever an agent writes or reads. */
export const MOST_LINE_BYTES = 128 * 1024;

/** What is kept of a text that makes a line too long. */
const KEPT_CHARACTERS = 4096;

/**
 * An event as one line of JSON, without the engine's own message: that is in the session's record. Long texts are cut, and say so; where even
 * that is too much, what makes the line long is left out.
 */
export function fitEvent(event: object): string {
  const { raw: _, ...told } = event as { readonly raw?: unknown };
  const whole = JSON.stringify(told);
  if (Buffer.byteLength(whole) <= MOST_LINE_BYTES) return whole;
  const cut = JSON.stringify(told, (_key, value: unknown) => (typeof value === "string" ? cutText(value) : value));
  return Buffer.byteLength(cut) <= MOST_LINE_BYTES ? cut : JSON.stringify(plainParts(told));
}

function cutText(text: string): string {
  if (text.length <= KEPT_CHARACTERS) return text;
  return `${text.slice(0, KEPT_CHARACTERS)}… (${text.length - KEPT_CHARACTERS} more characters)`;
}

/** The fields that are no lists or objects, with what they are called that are left out. */
function plainParts(event: object): object {
  const fields = Object.entries(event).map(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? { left: name } : { kept: [name, shortValue(value)] as const },
  );
  const kept = fields.flatMap((field) => ("kept" in field && field.kept ? [field.kept] : []));
  return { ...Object.fromEntries(kept), leftOut: fields.flatMap(({ left }) => left ?? []) };
}

function shortValue(value: unknown): unknown {
  return typeof value === "string" ? cutText(value) : value;
}
