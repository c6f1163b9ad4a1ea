import type { FolderInspection } from "../../engine/index.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine, plainText } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";

/** What a folder would execute, for people: every command whole, its lines kept. */
export function programLines({ directory, programs, files }: FolderInspection, { colors }: Terminal): string {
  if (files.length === 0) return `${plainLine(directory)} configures nothing: there is nothing to trust.\n`;
  const sources = [...new Set(programs.map(({ file }) => file))];
  const blocks = sources.map((source) => {
    const own = programs.filter(({ file }) => file === source);
    const lines = own.map(({ what, runs }) => `    ${colors.dim(plainLine(what))}  ${indented(runs)}\n`);
    return `  ${colors.bold(plainLine(source))}\n${lines.join("")}`;
  });
  const others = files.filter((file) => !sources.includes(file));
  const rest = others.map((file) => `    ${plainLine(file)}\n`).join("");
  const also =
    others.length === 0 ? "" : `  ${colors.dim(`and ${formatNumberOf(others.length, "file")} besides`)}\n${rest}`;
  return `${plainLine(directory)} can run programs, as you and outside any sandbox:\n\n${blocks.join("")}${also}\n`;
}

function indented(text: string): string {
  return plainText(text).split("\n").join("\n      ");
}
