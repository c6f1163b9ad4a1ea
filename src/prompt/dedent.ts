/** Text as it was meant: without blank lines around it, and without the indentation that all of its lines share. */
export function dedent(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return lines.map((line) => line.slice(shared).trimEnd()).join("\n");
}
