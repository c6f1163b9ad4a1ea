import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { gitLeftOut, gitLeftOutLines } from "./git-left-out.ts";
import { tellPathsOnce } from "./tell-paths-once.ts";

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
