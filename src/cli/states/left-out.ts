import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitLeftOut, type GitLeftOutData, type LeftOutData, type UnheldData } from "../../protocol/index.ts";
import { formatBytes, formatNumberOf, plainLine } from "../../terminal/index.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { PRIVATE_FILE } from "../../core/internal.ts";
import type { CommandContext } from "../define-command.ts";

/** What became of each, for people, and why it cannot be brought back. */
export function unheldLine({ path, reason, size_bytes: size, change }: UnheldData): string {
  const words = { gone: "is gone", changed: "was changed", replaced: "was replaced", unheld: "is no longer recorded" };
  return `${plainLine(path)} ${change === "added" ? "is new" : words[change]}: ${reasonWords(reason, size)}`;
}

/** Each with its reason, for people. */
export function leftOutLine({ path, reason, size_bytes: size }: LeftOutData): string {
  return `${plainLine(path)}  (${reasonWords(reason, size)})`;
}

function reasonWords(reason: string, size: number): string {
  const words: Readonly<Record<string, string>> = {
    "too-large": `over the size limit: ${formatBytes(size)}`,
    unreadable: "cannot be read",
    "special-file": "a pipe, socket or device",
    "reserved-name": "a name that git cannot hold",
    repository: "a nested repository's own folder",
    secret: "a secret, by a built-in rule",
    heavy: "heavy and easy to recreate, by a built-in rule",
  };
  return words[reason] ?? plainLine(reason);
}

/** The same after a turn, which may have removed a repository that the state before it held. */
export async function gitLeftOutByTurn(
  workspace: Workspace,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
): Promise<GitLeftOutData> {
  const [had, has] = await Promise.all([before, after].map((id) => holdsGit(workspace, id)));
  return had && !has ? { reason: "gone", repository: workspace.path } : gitLeftOut(workspace);
}

async function holdsGit({ states }: Workspace, id: string | undefined): Promise<boolean> {
  return id !== undefined && (await states.read(id)).entries.has("git.json");
}

/** That its HEAD and index stay as they are, for people; no line where all is held. */
export function gitLeftOutLines(data: GitLeftOutData): string[] {
  if (data === null) return [];
  const where = plainLine(data.repository);
  const why = {
    subdirectory: `this is a folder inside ${where}, whose HEAD and index are left as they are`,
    unsupported: `the .git of ${where} is a link, or of a kind Skein does not read; its HEAD and index are left as they are`,
    gone: `the repository of ${where} is gone; no state holds its commits, and an undo does not bring it back`,
  };
  return [`not recorded: ${why[data.reason]}`];
}

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
