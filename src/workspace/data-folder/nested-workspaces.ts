import { lstat, readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Workspace } from "../workspace.ts";
import { readDescription } from "../../snapshot/index.ts";

/** The workspaces that lie in another one's directory: their files are recorded and restored with it, too. */
export async function findNestedWorkspaces({
  path,
  home,
}: Pick<Workspace, "path" | "home">): Promise<readonly string[]> {
  const workspaces = dirname(home);
  const names = await readdir(workspaces).catch(() => []);
  const descriptions = await Promise.all(names.map((name) => readDescription(join(workspaces, name))));
  const below = descriptions.flatMap((file) => (file && !file.branchOf ? [file.path] : []));
  const nested: string[] = [];
  for (const inner of below.filter((each) => each.startsWith(path === sep ? sep : `${path}${sep}`)).toSorted()) {
    if (await lstat(inner).catch(() => undefined)) nested.push(inner);
  }
  return nested;
}
