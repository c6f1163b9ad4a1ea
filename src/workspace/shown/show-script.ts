import type { ShowPlan } from "./plan-show.ts";

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

/** The arguments of the script for a branch at a path. */
export function showArguments({ at, folders }: ShowPlan, branch: string): readonly string[] {
  return [at, branch, ...folders.flatMap(({ from, to }) => [from, `${branch}/${to}`])];
}
