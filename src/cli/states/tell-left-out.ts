import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import { gitLeftOut, gitLeftOutLines } from "./git-left-out.ts";

/** Paths that a notice names; the others are counted. */
const NAMED = 4;

/** Says what the built-in rules leave out of a workspace's states, each path once, and once that a repository is. */
export async function tellLeftOut(
  workspace: Workspace,
  leftOut: readonly { readonly path: string; readonly reason: string }[],
  context: CommandContext,
): Promise<void> {
  const file = join(workspace.home, "told-left-out");
  const told = new Set((await readFile(file, "utf8").catch(() => "")).split("\n"));
  const isNew = (line: string): boolean => !told.has(line);
  const withheld = leftOut.filter(({ reason }) => reason === "secret" || reason === "heavy");
  const paths = withheld.map(({ path }) => JSON.stringify(path)).filter(isNew);
  const git = gitLeftOutLines(gitLeftOut(workspace)).map((words) => `git ${words}`);
  const lines = [...paths, ...git.filter(isNew)];
  if (lines.length === 0) return;
  if (paths.length > 0) context.notice(withheldNotice(paths.map((line) => plainLine(JSON.parse(line) as string))));
  for (const words of git.filter(isNew)) context.notice(`The state of git is ${words.slice("git ".length)}.`);
  // Saying it twice does less harm than failing over it.
  await writeFile(file, [...told, ...lines].filter(Boolean).join("\n"), { mode: PRIVATE_FILE }).catch(() => undefined);
}

function withheldNotice(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED);
  const others = paths.length - named.length;
  const list = others > 0 ? `${named.join(", ")} and ${formatNumberOf(others, "more path")}` : named.join(", ");
  return (
    `Not recorded, by built-in rules for secrets and heavy folders: ${list}. ` +
    "skein status lists them; --include, or a line such as !.env in .skeinignore, takes one."
  );
}
