import type { CommandContext } from "../define-command.ts";
import { formatBytes, formatTable, plainLine } from "../../terminal/index.ts";
import type { ShownState } from "./shown-state.ts";

/** How many lines a patch adds to a file and takes away; null where it is not text. */
export interface LineCounts {
  readonly added: number | null;
  readonly removed: number | null;
}

/** Counts the lines of each file of a unified patch, by its path after the change, or before it where it is gone. */
export function patchStat(patch: string): ReadonlyMap<string, LineCounts> {
  const counts = new Map<string, LineCounts>();
  for (const part of patch.split(/^(?=diff --git )/mu)) {
    const lines = part.split("\n");
    const path = pathOf(lines);
    if (path !== undefined) counts.set(path, countLines(lines));
  }
  return counts;
}

function countLines(lines: readonly string[]): LineCounts {
  if (lines.includes("GIT binary patch")) return { added: null, removed: null };
  const start = lines.findIndex((line) => line.startsWith("@@"));
  const body = start === -1 ? [] : lines.slice(start);
  const count = (sign: string): number => body.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}

function pathOf(lines: readonly string[]): string | undefined {
  const start = lines.findIndex((line) => line.startsWith("@@"));
  const head = start === -1 ? lines : lines.slice(0, start);
  for (const [prefix, side] of NAMES) {
    const line = head.find((text) => text.startsWith(prefix));
    if (line === undefined) continue;
    const name = unquote(line.slice(prefix.length).replace(/\t$/u, ""));
    if (name !== "/dev/null") return name.slice(side.length);
  }
  // Without hunks both sides of the first line are one name: `diff --git a/x b/x`.
  const whole = lines[0]?.slice("diff --git ".length) ?? "";
  const half = whole.slice((whole.length + 1) / 2);
  return whole === "" ? undefined : unquote(half).slice("b/".length);
}

const NAMES = [
  ["rename to ", ""],
  ["+++ ", "b/"],
  ["--- ", "a/"],
] as const;

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Git writes unusual names in quotes, their bytes in octal. */
function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes: Buffer[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gsu)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]));
    else if (letter !== undefined) bytes.push(Buffer.from([ESCAPES[letter] ?? letter.charCodeAt(0)]));
    else bytes.push(Buffer.from(plain ?? ""));
  }
  return Buffer.concat(bytes).toString("utf8");
}

/** The files that a state holds: mode, size and path. */
export function formatFiles(files: NonNullable<ShownState["all_files"]>, { terminal }: CommandContext): string {
  const { dim, cyan } = terminal.colors;
  const rows = files.map(({ path, kind, mode, size_bytes: bytes }) => [
    dim(kind === "symlink" ? "link" : mode.padStart(4, "0")),
    dim(formatBytes(bytes)),
    kind === "symlink" ? cyan(plainLine(path)) : plainLine(path),
  ]);
  const columns = [{ name: "Mode" }, { name: "Size", align: "right" }, { name: "Path", narrow: "wrap" }] as const;
  return formatTable({ columns, rows }, terminal);
}
