import { realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { dataHome, isInside, type ShownDirectory } from "../../core/internal.ts";
import { isPlainPath, lookAt } from "../../git/index.ts";
import { LENT_FOLDER, type Repository } from "../../snapshot/index.ts";
import type { BranchOptions } from "./branch-options.ts";
import { holdNamespace } from "./held-namespace.ts";

/** How a branch is shown to agents at the path of its workspace. */
export interface ShowPlan {
  readonly at: string;
  /** Folders of the host that agents have to find all the same, and where below the branch. */
  readonly folders: readonly { readonly from: string; readonly to: string }[];
}

/** Says how a branch whose files are those of a folder can be shown, or why it cannot. */
export async function planShow(
  { workspace: at, home }: Repository,
  files: string,
  { programs = [] }: Pick<BranchOptions, "programs">,
): Promise<ShowPlan | string> {
  if (process.platform !== "linux") return `${process.platform} has no mount namespaces`;
  for (const folder of [home, ...hostHomes()]) {
    if (isInside(await realpath(folder).catch(() => resolve(folder)), at)) return `${folder} lies in the workspace`;
  }
  // The branch's repository reads the user's objects, which lie below the path that the branch is shown at.
  const isLent = isPlainPath(files, LENT_FOLDER) && lookAt(join(files, LENT_FOLDER)) !== undefined;
  const folders = isLent ? [{ from: join(at, ".git/objects"), to: LENT_FOLDER }] : [];
  for (const program of programs) {
    const from = await realpath(program).catch(() => program);
    if (!isInside(from, at)) continue;
    const to = relative(at, from);
    if (!isPlainPath(files, to) || !lookAt(join(files, to))?.isDirectory()) return `branches lack ${program}`;
    folders.push({ from, to });
  }
  return { at, folders };
}

/** The CLI keeps its sessions and settings in a home, and what is being resumed in the folder for temporary files. */
function hostHomes(): readonly string[] {
  const claude = process.env["CLAUDE_CONFIG_DIR"];
  return [dataHome(), homedir(), tmpdir(), ...(claude ? [claude] : [])];
}

/** How long a namespace is not to hear of mounts of the host: never; but it hears of what is unmounted. */
export const MOUNTS_ALONE: readonly string[] = ["-m", "--propagation", "slave"];

/** A user namespace besides, for who has no right to mount. The uid is the same in there. */
export const AS_USER: readonly string[] = ["-U", "--map-current-user", "--keep-caps"];

export async function showBranch(
  plan: ShowPlan,
  branch: string,
): Promise<Disposable & { readonly shown: ShownDirectory }> {
  const hold = async (namespaces: readonly string[], ...others: readonly "user"[]) => {
    const args = [...namespaces, "sh", "-c", SHOW_SCRIPT, "skein", ...showArguments(plan, branch)];
    const held = await holdNamespace({ args }, (line) => {
      const pid = shownBy(line) ?? 0;
      return [...namespaceFiles(pid, plan), ...others.map((kind) => `/proc/${pid}/ns/${kind}`)];
    });
    const [mount = "", inside = "", user] = held.files;
    return { shown: shownDirectory(plan, { mount, inside, user }), [Symbol.dispose]: held[Symbol.dispose] };
  };
  return await hold(MOUNTS_ALONE).catch(() => hold([...AS_USER, ...MOUNTS_ALONE], "user"));
}

/** What is opened of a process to enter the namespace in which it shows a branch. */
export function namespaceFiles(pid: number, { at }: ShowPlan): readonly string[] {
  return [`/proc/${pid}/ns/mnt`, `/proc/${pid}/root${at}`];
}

export function shownDirectory(
  { at, folders }: ShowPlan,
  { mount, inside, user }: Record<"mount" | "inside", string> & { readonly user?: string | undefined },
): ShownDirectory {
  // What is executed there gets no capability.
  const asUser = user === undefined ? [] : ["--preserve-credentials", `--user=${user}`];
  const entry = ["nsenter", ...asUser, `--mount=${mount}`];
  return { at, inside, entry, kept: folders.map(({ to }) => join(at, to)) };
}

/**
 * Lays a branch over the path of its workspace; $1 is that path, $2 the branch, then pairs of a folder of the host and where it is to
 * be seen in the branch, which nobody can write there. It ends when its input does, and so with the process that started it.
 */
export const SHOW_SCRIPT = `at=$1 branch=$2
shift 2
while [ $# -gt 0 ]; do
  mount --bind -- "$1" "$2" || exit 1
  options=$(findmnt -n -o VFS-OPTIONS --target "$2") || exit 1
  mount -o "remount,bind,ro\${options#r[ow]}" -- "$2" || exit 1
  shift 2
done
mount --rbind -- "$branch" "$at" && echo "shown $$" && read -r _`;

/** The process in whose namespace a branch is shown, as the script tells it; undefined where it is not shown. */
export function shownBy(line: string): number | undefined {
  const pid = /^shown (\d+)$/u.exec(line)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

export function showArguments({ at, folders }: ShowPlan, branch: string): readonly string[] {
  return [at, branch, ...folders.flatMap(({ from, to }) => [from, `${branch}/${to}`])];
}
