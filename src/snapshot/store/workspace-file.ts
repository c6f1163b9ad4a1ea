import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { defined, isoTime, parseJson, SkeinError } from "../../core/internal.ts";
import { errorCode, lookAt, readJsonFile, readUserHead, runGit, writeDurably } from "../../git/index.ts";

const WorkspaceFile = z.strictObject({
  version: z.literal(1),
  path: z.string(),
  createdAt: z.string(),
  branchOf: z.strictObject({ path: z.string(), branch: z.string() }).optional(),
  /** By which the directory is known again where it was moved to. */
  identity: z.string().optional(),
  /** A commit of its repository, by which another copy of it may be known. */
  commit: z.string().optional(),
  movedFrom: z.string().optional(),
});

export type WorkspaceFile = Omit<z.infer<typeof WorkspaceFile>, "version">;

/** The name of a workspace's folder: readable, and never the same for two paths. */
export function workspaceKey(realPath: string): string {
  const name =
    basename(realPath)
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, 40) || "root";
  return `${name.replace(/^\.+/, "")}-${createHash("sha256").update(realPath).digest("hex").slice(0, 16)}`;
}

export async function writeWorkspaceFile(home: string, file: WorkspaceFile): Promise<void> {
  await writeDurably(join(home, "workspace.json"), `${JSON.stringify({ version: 1, ...file }, null, 2)}\n`);
}

/** What a folder below the data folder says of the workspace that it is for; undefined where it says nothing that can be read. */
export async function readDescription(home: string): Promise<WorkspaceFile | undefined> {
  return await readJsonFile(join(home, "workspace.json"), WorkspaceFile);
}

/**
 * Reads whose folder it is; undefined where that is not there yet. One that is empty or torn, as an older version could leave
 * it at a power cut, is written anew: the folder's name proves the path, and a store in it that it is no branch.
 */
export async function readWorkspaceFile(place: Record<"home" | "workspace", string>) {
  const { home, workspace } = place;
  const path = join(home, "workspace.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const { data } = WorkspaceFile.safeParse(value);
  if (data?.path === workspace) return data;
  if (value === undefined && hasStore(home)) return await mendWorkspaceFile(home, workspace);
  throw new SkeinError(`${path} does not describe ${workspace}`, {
    kind: "parse",
    target: path,
    hint: "It was written by a newer version of Skein, or is damaged; update Skein or move the folder away",
  });
}

/** Finds the workspaces whose description a power cut has torn; the path is as the store knows it, which one of an older version does not. */
export async function findDamagedWorkspaces(dataHome: string) {
  const folder = join(dataHome, "workspaces");
  const damaged: { readonly home: string; readonly path?: string }[] = [];
  const names: readonly string[] = await readdir(folder).catch(() => []);
  for (const name of names.toSorted()) {
    const home = join(folder, name);
    const text = await readFile(join(home, "workspace.json"), "utf8").catch(() => undefined);
    if (text === undefined || parseJson(text) !== undefined || !hasStore(home)) continue;
    const path = await storedPath(home);
    damaged.push({ home, ...(path !== undefined && workspaceKey(path) === name ? { path } : {}) });
  }
  return damaged;
}

export async function mendWorkspaceFile(home: string, path: string): Promise<WorkspaceFile> {
  const { birthtimeMs, ctimeMs } = await stat(join(home, "store.git", "config"));
  const file = { path, createdAt: isoTime(birthtimeMs || ctimeMs) };
  await writeWorkspaceFile(home, file);
  return file;
}

export function pathSetting(path: string): string {
  const text = path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `[skein]\n\tworkspace = "${text}"\n`;
}

export async function nameInStore(gitDirectory: string, path: string): Promise<void> {
  await runGit({ gitDirectory, args: ["config", "--local", "--replace-all", "skein.workspace", path] });
}

async function storedPath(home: string): Promise<string | undefined> {
  const args = ["config", "--local", "--null", "--get", "skein.workspace"];
  const output = await runGit({ gitDirectory: join(home, "store.git"), args }).catch(() => undefined);
  return output?.toString("utf8").replace(/\0$/u, "");
}

export function hasStore(home: string): boolean {
  return lookAt(join(home, "store.git", "config"))?.isFile() === true;
}

/** A directory's number, and when it was made, since numbers are given again; a copy has another. */
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
