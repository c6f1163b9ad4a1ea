import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";

/** Paths that a notice names; the others are counted. */
const NAMED = 4;

/** Says what the built-in rules leave out of a workspace's states, each path once. */
export async function tellLeftOut(
  { home }: Workspace,
  leftOut: readonly { readonly path: string; readonly reason: string }[],
  context: CommandContext,
): Promise<void> {
  const file = join(home, "told-left-out");
  const told = new Set((await readFile(file, "utf8").catch(() => "")).split("\n"));
  const withheld = leftOut.filter(({ reason }) => reason === "secret" || reason === "heavy");
  const lines = withheld.map(({ path }) => JSON.stringify(path)).filter((line) => !told.has(line));
  if (lines.length === 0) return;
  const named = lines.slice(0, NAMED).map((line) => plainLine(JSON.parse(line) as string));
  const others = lines.length - named.length;
  const list = others > 0 ? `${named.join(", ")} and ${formatNumberOf(others, "more path")}` : named.join(", ");
  context.notice(
    `Not recorded, by built-in rules for secrets and heavy folders: ${list}. ` +
      "skein status lists them; --include, or a line such as !.env in .skeinignore, takes one.",
  );
  // Saying it twice does less harm than failing over it.
  await writeFile(file, [...told, ...lines].filter(Boolean).join("\n"), { mode: PRIVATE_FILE }).catch(() => undefined);
}
