import { stat } from "node:fs/promises";
import { writeWorkspaceFile, type WorkspaceFile } from "./workspace-file.ts";
import { readUserHead } from "../user-git/git-state.ts";
import { defined } from "../../core/index.ts";

/**
 * What tells a directory from every other one on its disk, wherever it is moved there: its number, and when it was made, since numbers
 * are given again. A copy has another; undefined where there is no directory.
 */
export async function directoryIdentity(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() ? `${stats.ino}-${stats.birthtimeNs}` : undefined;
}

/** Adds to a workspace's description by what the directory will be known again; what it says already stays. */
export async function withMarks(file: WorkspaceFile): Promise<WorkspaceFile> {
  const identity = file.identity ?? (await directoryIdentity(file.path));
  const commit = file.commit ?? readCommit(file.path);
  return { ...file, ...defined({ identity, commit }) };
}

/** Writes down what a description does not say yet: there was no commit then, or an older version made it. */
export async function noteMarks(home: string, file: WorkspaceFile): Promise<void> {
  if (file.identity !== undefined && file.commit !== undefined) return;
  const marked = await withMarks(file);
  if (marked.identity === file.identity && marked.commit === file.commit) return;
  // A store that is full or read-only can do without.
  await writeWorkspaceFile(home, marked).catch(() => undefined);
}

function readCommit(path: string): string | undefined {
  try {
    return readUserHead(path)?.head.head;
  } catch {
    return undefined;
  }
}
