import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { dataHome, defined, filterAsync } from "../../core/internal.ts";
import { findUserRepository, gitLines, lookAt } from "../../git/index.ts";
import { directoryIdentity, type WorkspaceFile, workspaceKey } from "../../snapshot/index.ts";
import { listDescriptions } from "./find-stores.ts";

/** The record of a workspace, seen from a directory that may be the same workspace in another place. */
export interface FittingRecord {
  readonly home: string;
  readonly path: string;
  readonly branchOf?: string;
  /** A relink to there was cut off, it is that very directory, or its repository holds a commit of the workspace's, as every clone does. */
  readonly fit?: "begun" | "directory" | "repository";
}

/** Finds the records of workspaces that are gone and fit a directory, a real path; only the surest, where some are surer than others. */
export async function findLostRecords(directory: string, home: string = dataHome()): Promise<readonly FittingRecord[]> {
  const fitting = await filterAsync(await listRecords(directory, home), async ({ fit, path }) => {
    return fit === "begun" || (fit !== undefined && !(await isThere(path)));
  });
  const surest = FITS.find((fit) => fitting.some((record) => record.fit === fit));
  return fitting.filter(({ fit }) => fit === surest).toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

export async function findRecordOf(
  path: string,
  { directory, home = dataHome() }: { readonly directory: string; readonly home?: string | undefined },
): Promise<FittingRecord | undefined> {
  const paths = await spellings(path);
  return (await listRecords(directory, home)).find((record) => paths.includes(record.path));
}

/** The paths by which a record may name a directory that is gone: the folder that it was in may have been reached by another way. */
export async function spellings(path: string): Promise<readonly string[]> {
  const plain = resolve(path);
  return [plain, join(await realpath(dirname(plain)).catch(() => dirname(plain)), basename(plain))];
}

/** Whether a directory is at a path itself: what a link leads to has a path of its own. */
export async function isThere(path: string): Promise<boolean> {
  return (await realpath(path).catch(() => undefined)) === path && lookAt(path)?.isDirectory() === true;
}

const FITS = ["begun", "directory", "repository"] as const;

async function listRecords(directory: string, home: string): Promise<readonly FittingRecord[]> {
  const workspaces = resolve(home, "workspaces");
  const own = join(workspaces, workspaceKey(directory));
  // Others are remains that were set aside, or are being made.
  const isRecord = (folder: string): boolean => folder !== own && /-[0-9a-f]{16}$/u.test(folder);
  const found = (await listDescriptions(workspaces)).filter(({ folder }) => isRecord(folder));
  const identity = await directoryIdentity(directory);
  const commits = found.flatMap(({ file }) => (file.branchOf || file.commit === undefined ? [] : [file.commit]));
  const known = await commitsIn(directory, new Set(commits));
  const fitOf = (file: WorkspaceFile): FittingRecord["fit"] => {
    if (file.path === directory) return "begun";
    if (identity !== undefined && file.identity === identity) return "directory";
    return !file.branchOf && known.has(file.commit ?? "") ? "repository" : undefined;
  };
  return found.map(({ folder, file }) => {
    const fit = fitOf(file);
    const path = fit === "begun" ? (file.movedFrom ?? file.path) : file.path;
    return { home: folder, path, ...defined({ branchOf: file.branchOf?.path, fit }) };
  });
}

/** Which of some commits the repository at a directory's root holds. */
async function commitsIn(directory: string, commits: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const user = commits.size === 0 ? undefined : findUserRepository(directory);
  if (!user) return new Set();
  const input = [...commits].filter((id) => /^[0-9a-f]{40}$/u.test(id));
  const check = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
  // A pipe among the repository's objects would make git wait for ever.
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const asked = { gitDirectory: user.gitDirectory, args: check, input, signal };
  const lines = await gitLines(asked).catch(() => []);
  return new Set(lines.flatMap((line) => (line.startsWith("commit ") ? [line.slice("commit ".length)] : [])));
}

const PATIENCE_MS = 5000;
