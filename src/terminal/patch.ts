import { plainText } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";

/** A unified patch as it is shown: plain and coloured on a terminal, elsewhere byte for byte, so that it can be applied. */
export function formatPatch(patch: string, { isLive, colors }: Pick<Terminal, "isLive" | "colors">): string {
  if (!isLive) return patch;
  let isHead = false;
  const lines = patch.split("\n").map((raw) => {
    const line = plainText(raw);
    if (line.startsWith("diff --git ")) isHead = true;
    if (line.startsWith("@@")) isHead = false;
    if (line.startsWith("@@")) return colors.cyan(line);
    if (isHead) return colors.bold(line);
    if (line.startsWith("+")) return colors.green(line);
    return line.startsWith("-") ? colors.red(line) : line;
  });
  return lines.join("\n");
}
