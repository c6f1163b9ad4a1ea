import { join } from "node:path";
import { defined } from "../../core/internal.ts";
import { isAtOrBelow, lookAt, toBytePath } from "../../git/index.ts";
import { findCarried, type LeftOut, selectByGlobs, SIZE_LIMIT_BYTES, sizeLimitSetting } from "../../snapshot/index.ts";
import type { Workspace, WorkspaceOptions } from "../workspace.ts";

/** Something of a workspace that its branches lack: no state holds it, and it is not carried. */
export interface NotCarried {
  readonly path: string;
  readonly reason: LeftOut["reason"] | "ignored";
  readonly sizeBytes: number;
}

/** Lists what branches of a workspace lack of what lies in it now, ordered by path. The options are those that it was opened with. */
export async function findNotCarried(
  workspace: Workspace,
  { include, sizeLimitBytes = sizeLimitSetting() ?? SIZE_LIMIT_BYTES, branches = {} }: WorkspaceOptions = {},
): Promise<readonly NotCarried[]> {
  const { home, gitDirectory, origin, path: directory } = workspace;
  const captured = { sizeLimitBytes, listsIgnored: true, ...defined({ include }) };
  const { leftOut, ignored = [] } = await workspace.snapshots.capture(directory, captured);
  const carried = await findCarried({ home, gitDirectory, workspace: origin }, branches, sizeLimitBytes);
  const isCarried = (path: string): boolean => carried.some((each) => isAtOrBelow(path, each.path));
  const all: NotCarried[] = [
    ...leftOut.map(({ path, reason, sizeBytes }) => ({ path, reason, sizeBytes })),
    ...ignored.map((path) => ({ path, reason: "ignored" as const, sizeBytes: sizeOf(join(directory, path)) })),
  ];
  return all.filter(({ path }) => !isCarried(path)).toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** Which of `alsoCarry`'s globs name nothing that branches would lack: a slip of the pen, or something that states hold. */
export async function findIdleGlobs(
  { home, gitDirectory, origin }: Workspace,
  { sizeLimitBytes = sizeLimitSetting() ?? SIZE_LIMIT_BYTES, branches = {} }: WorkspaceOptions = {},
): Promise<readonly string[]> {
  const { alsoCarry = [] } = branches;
  const carried = await findCarried({ home, gitDirectory, workspace: origin }, branches, sizeLimitBytes);
  const paths = carried.map(({ path }) => toBytePath(path));
  return alsoCarry.filter((glob) => {
    const { takesFile, enters } = selectByGlobs([glob]);
    return !paths.some((path) => takesFile(path) || enters(path));
  });
}

function sizeOf(path: string): number {
  const stats = lookAt(path);
  return stats?.isFile() ? stats.size : 0;
}
