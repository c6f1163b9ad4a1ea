import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import { gitLeftOut, gitLeftOutLines } from "./git-left-out.ts";

/** Says what the built-in rules leave out of a workspace's states, each path once, and once that a repository is. */
export async function tellLeftOut(
  workspace: Pick<Workspace, "home" | "view">,
  leftOut: readonly { readonly path: string; readonly reason: string }[],
  context: CommandContext,
): Promise<void> {
  const withheld = leftOut.filter(({ reason }) => reason === "secret" || reason === "heavy");
  const paths = withheld.map(({ path }) => path);
  await tellPathsOnce(workspace, { name: "told-left-out", paths }, (list) =>
    context.notice(
      `Not recorded, by built-in rules for secrets and heavy folders: ${list}. ` +
        "skein status lists them; to record one, use --include or a line such as !.env in .skeinignore.",
    ),
  );
  const git = gitLeftOut(workspace);
  await tellPathsOnce(workspace, { name: "told-git-left-out", paths: git ? [git.repository] : [] }, () => {
    for (const words of gitLeftOutLines(git)) context.notice(`The state of git is ${words}.`);
  });
}

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
