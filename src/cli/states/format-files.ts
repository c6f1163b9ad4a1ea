import type { CommandContext } from "../command-context.ts";
import { formatBytes } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import type { ShownState } from "./shown-state.ts";

/** The files that a state holds, a line each: mode, size and path. */
export function formatFiles(files: NonNullable<ShownState["all_files"]>, { terminal }: CommandContext): string {
  const { dim, cyan } = terminal.colors;
  const sizes = files.map(({ size_bytes: bytes }) => formatBytes(bytes));
  const width = sizes.reduce((most, size) => Math.max(most, size.length), 0);
  const lines = files.map(({ path, kind, mode }, index) => {
    const size = (sizes[index] ?? "").padStart(width);
    const name = kind === "symlink" ? cyan(plainLine(path)) : plainLine(path);
    return `${dim(`${kind === "symlink" ? "link" : mode.padStart(4, "0")}  ${size}`)}  ${name}\n`;
  });
  return lines.join("");
}
