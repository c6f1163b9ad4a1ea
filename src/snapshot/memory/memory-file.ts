import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createId, PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
import type { BytePath } from "../../git/index.ts";
import type { Memory } from "../capture/capture-context.ts";
import type { FileNode, FolderNode, TreeNode } from "../capture/tree-node.ts";
import type { Withholding } from "../left-out/built-in-rules.ts";
import type { Repository } from "../store/repository.ts";
import { directoryKey, findShadow, type Shadow, writeShadow } from "./shadow.ts";

/** What the last process remembered of a directory; undefined where there is nothing, or nothing to be trusted. */
export async function loadMemory(repository: Repository, directory: string): Promise<Memory | undefined> {
  const text = await readFile(memoryPath(repository, directory), "latin1").catch(() => "");
  const line = text.indexOf("\n");
  const body = text.slice(line + 1);
  // Whoever wrote it was this version of this program, and all of it is there: that much the hash says.
  if (line === -1 || text.slice(0, line) !== seal(body)) return undefined;
  const flat = JSON.parse(body) as { id: string; rulesKey: string; root: FlatFolder };
  const root = unflatten(flat.root);
  const shadow = await findShadow(repository, directory, { root, token: tokenOf(text) });
  return { id: flat.id, rulesKey: flat.rulesKey, root, git: undefined, shadow, looked: 0 };
}

/** Leaves what is known of a directory for the next process, and gives the index that was written with it; nothing is lost where it fails. */
export async function saveMemory(
  repository: Repository,
  directory: string,
  { id, rulesKey, root, fewFiles }: Memory & { readonly fewFiles: number },
): Promise<Shadow | undefined> {
  const body = JSON.stringify({ id, rulesKey, root: flatten(root) });
  const text = `${seal(body)}\n${body}`;
  const path = memoryPath(repository, directory);
  const half = `${path}.${createId()}`;
  // The index is found by the memory's hash: one of another memory is not.
  const shadow = await writeShadow(repository, directory, { root, fewFiles, token: tokenOf(text) });
  try {
    await mkdir(dirname(path), PRIVATE_FOLDER);
    await writeFile(half, text, { encoding: "latin1", mode: PRIVATE_FILE });
    await rename(half, path);
  } catch {
    await rm(half, { force: true }).catch(() => undefined);
  }
  return shadow;
}

export async function forgetMemory(repository: Pick<Repository, "home">, directory: string): Promise<void> {
  await rm(memoryPath(repository, directory), { force: true });
}

function tokenOf(sealed: string): string {
  return sealed.slice(HEADER.length, HEADER.length + 32);
}

const HEADER = "skein-memory 3 ";

type FlatFile = ReturnType<typeof flattenFile>;
type FlatFolder = readonly [
  mode: number,
  rules: string,
  ignored: readonly BytePath[],
  withheld: readonly (readonly [BytePath, Withholding])[],
  oid: string | null,
  stamp: string | null,
  modes: readonly (readonly [string, number])[],
  files: readonly FlatFile[],
  folders: readonly (readonly [BytePath, FlatFolder])[],
];

function memoryPath({ home }: Pick<Repository, "home">, directory: string): string {
  return join(home, "memory", directoryKey(directory));
}

function seal(body: string): string {
  return `${HEADER}${createHash("sha256").update(body, "latin1").digest("hex")}`;
}

function flatten({ mode, rules, ignored, withheld, oid, stamp, modes, entries }: FolderNode): FlatFolder {
  const files: FlatFile[] = [];
  const folders: [BytePath, FlatFolder][] = [];
  for (const [name, node] of entries) {
    if (node.kind === "folder") folders.push([name, flatten(node)]);
    else files.push(flattenFile(name, node));
  }
  return [mode, rules, [...ignored], [...withheld], oid ?? null, stamp ?? null, [...modes], files, folders];
}

function flattenFile(name: BytePath, { kind, mode, oid, stat, racy }: FileNode) {
  const { size, mtimeMs, ctimeMs, ino, uid, gid } = stat;
  return [name, kind === "symlink" ? 1 : 0, mode, oid, size, mtimeMs, ctimeMs, ino, racy ? 1 : 0, uid, gid] as const;
}

function unflatten([mode, rules, ignored, withheld, oid, stamp, modes, files, folders]: FlatFolder): FolderNode {
  const entries = new Map<BytePath, TreeNode>();
  for (const [name, isLink, fileMode, fileOid, size, mtimeMs, ctimeMs, ino, racy, uid, gid] of files) {
    const stat = { size, mtimeMs, ctimeMs, ino, uid, gid };
    entries.set(name, { kind: isLink ? "symlink" : "file", mode: fileMode, oid: fileOid, stat, racy: racy === 1 });
  }
  for (const [name, folder] of folders) entries.set(name, unflatten(folder));
  const known = { ignored: new Set(ignored), withheld: new Map(withheld), modes: new Map(modes) };
  return { kind: "folder", mode, rules, ...known, oid: oid ?? undefined, stamp: stamp ?? undefined, entries };
}
