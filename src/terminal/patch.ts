import { plainText } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";

const FULL_ID = /\b([0-9a-f]{12})[0-9a-f]{28}\b/gu;

/** A unified patch as it is shown: plain and coloured on a terminal, with short ids; elsewhere byte for byte, so that it can be applied. */
export function formatPatch(patch: string, { isLive, colors }: Pick<Terminal, "isLive" | "colors">): string {
  if (!isLive) return patch;
  let isHead = false;
  const lines = patch.split("\n").map((raw) => {
    const line = plainText(raw);
    if (line.startsWith("diff --git ")) isHead = true;
    if (line.startsWith("@@")) isHead = false;
    if (line.startsWith("@@")) return colors.cyan(line);
    if (isHead) return colors.bold(line.startsWith("index ") ? line.replaceAll(FULL_ID, "$1") : line);
    if (line.startsWith("+")) return colors.green(line);
    return line.startsWith("-") ? colors.red(line) : line;
  });
  return lines.join("\n");
}
