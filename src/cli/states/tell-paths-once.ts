import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";

/** Paths that a notice names; the others are counted. */
const NAMED = 4;

/** Says something about paths of a workspace, each path once: what was told is kept in a file of this name. */
export async function tellPathsOnce(
  { home }: Pick<Workspace, "home">,
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  tell: (list: string) => void,
): Promise<void> {
  const file = join(home, name);
  const told = new Set((await readFile(file, "utf8").catch(() => "")).split("\n"));
  const lines = paths.map((path) => JSON.stringify(path)).filter((line) => !told.has(line));
  if (lines.length === 0) return;
  const named = lines.slice(0, NAMED).map((line) => plainLine(JSON.parse(line) as string));
  const others = lines.length - named.length;
  tell(others > 0 ? `${named.join(", ")} and ${formatNumberOf(others, "more path")}` : named.join(", "));
  // Saying it twice does less harm than failing over it.
  await writeFile(file, [...told, ...lines].filter(Boolean).join("\n"), { mode: PRIVATE_FILE }).catch(() => undefined);
}
