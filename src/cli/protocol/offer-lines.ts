import { fitLine, plainLine } from "../plain-text.ts";

/** A heading with a count, then a bullet for each: what people see of a list of commands or tools. */
export function offerLines(
  heading: string,
  entries: readonly { readonly name: string; readonly source: string; readonly description: string }[],
  columns: number,
): string {
  const bullets = entries.map(({ name, source, description }) =>
    fitLine(`- ${plainLine(name)} (${source}): ${plainLine(description)}`, Math.max(columns, 40)),
  );
  return `${[heading, "", ...bullets].join("\n").trimEnd()}\n`;
}

/** Whether a text is in a name or a description, in any case. */
export function mentions(
  query: string | undefined,
  { name, description }: { readonly name: string; readonly description: string },
): boolean {
  return query === undefined || `${name}\n${description}`.toLowerCase().includes(query.toLowerCase());
}
