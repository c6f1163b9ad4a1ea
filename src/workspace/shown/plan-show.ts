import { homedir, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { realpath } from "node:fs/promises";
import { dataHome, isInside } from "../../core/index.ts";
import { LENT_FOLDER, type Repository } from "../../snapshot/index.ts";
import { lookAt, isPlainPath } from "../../git/index.ts";

/** How a branch is shown to agents at the path of its workspace. */
export interface ShowPlan {
  /** The workspace's own path. */
  readonly at: string;
  /** Folders of the host that agents have to find all the same, and where below the branch. */
  readonly folders: readonly { readonly from: string; readonly to: string }[];
}

/** What agents need of the host, beside their branch. */
export interface AgentNeeds {
  /** Folders with programs that they are started by. In a workspace, they stay those of the host. */
  readonly programs?: readonly string[] | undefined;
  /** Folders that would be hidden from them; where one lies in the workspace, branches keep their own path. */
  readonly homes?: readonly string[];
}

/** Says how a branch whose files are those of a folder can be shown, or why it cannot. */
export async function planShow(
  { workspace: at, home }: Repository,
  files: string,
  { programs = [], homes = hostHomes() }: AgentNeeds,
): Promise<ShowPlan | string> {
  if (process.platform !== "linux") return `${process.platform} has no mount namespaces`;
  for (const folder of [home, ...homes]) {
    if (isInside(await realpath(folder).catch(() => resolve(folder)), at)) return `${folder} lies in the workspace`;
  }
  const folders = isPlainPath(files, LENT_FOLDER) && lookAt(join(files, LENT_FOLDER)) ? [lent(at)] : [];
  for (const program of programs) {
    const from = await realpath(program).catch(() => program);
    if (!isInside(from, at)) continue;
    const to = relative(at, from);
    if (!isPlainPath(files, to) || !lookAt(join(files, to))?.isDirectory()) return `branches lack ${program}`;
    folders.push({ from, to });
  }
  return { at, folders };
}

/** The branch's repository reads the user's objects, which lie below the path that the branch is shown at. */
function lent(at: string): ShowPlan["folders"][number] {
  return { from: join(at, ".git/objects"), to: LENT_FOLDER };
}

/** The CLI keeps its sessions and settings in a home, and what is being resumed in the folder for temporary files. */
function hostHomes(): readonly string[] {
  const claude = process.env["CLAUDE_CONFIG_DIR"];
  return [dataHome(), homedir(), tmpdir(), ...(claude ? [claude] : [])];
}
