import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "./look-at.ts";
import { readSmallFile } from "./read-small-file.ts";

/** Git's own files about a merge, rebase or the like that was not finished: name in `.git`, and one character a byte. */
export type UnfinishedOperation = Readonly<Record<string, string>>;

/** Reads what git left in a repository about work that it did not finish; undefined where there is none. */
export function readUnfinished(gitDirectory: string): UnfinishedOperation | undefined {
  const found: [string, string][] = [];
  for (const name of FILES) {
    const content = readPlain(join(gitDirectory, name));
    if (content !== undefined) found.push([name, content]);
  }
  for (const folder of FOLDERS) found.push(...(readFolder(gitDirectory, folder) ?? []));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Makes a repository's unfinished work what it was. A folder that no snapshot could hold is left alone. */
export function writeUnfinished(gitDirectory: string, wanted: UnfinishedOperation = {}): void {
  for (const name of FILES) {
    const stats = lookAt(join(gitDirectory, name));
    if (wanted[name] === undefined && stats?.isFile()) rmSync(join(gitDirectory, name));
  }
  for (const folder of FOLDERS) {
    if (readFolder(gitDirectory, folder) !== undefined) rmSync(join(gitDirectory, folder), { recursive: true });
  }
  const writable = FOLDERS.filter((folder) => lookAt(join(gitDirectory, folder)) === undefined);
  for (const [name, content] of Object.entries(wanted)) {
    const [folder = "", file] = name.split("/");
    if (!(file === undefined ? FILES : writable).includes(folder) || file === "..") continue;
    if (file !== undefined) mkdirSync(join(gitDirectory, folder), { recursive: true });
    replace(join(gitDirectory, name), content);
  }
}

const FILES: readonly string[] = [
  "MERGE_AUTOSTASH",
  "MERGE_HEAD",
  "MERGE_MODE",
  "MERGE_MSG",
  "SQUASH_MSG",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
];
const FOLDERS: readonly string[] = ["rebase-apply", "rebase-merge", "sequencer"];

/** Undefined where there is no such folder, or one that has other things than small files in it. */
function readFolder(gitDirectory: string, folder: string): readonly [string, string][] | undefined {
  const path = join(gitDirectory, folder);
  if (!lookAt(path)?.isDirectory()) return undefined;
  const found: [string, string][] = [];
  for (const name of readdirSync(path).toSorted()) {
    const content = readPlain(join(path, name));
    if (content === undefined || found.length === MOST_FILES) return undefined;
    found.push([`${folder}/${name}`, content]);
  }
  return found;
}

const MOST_FILES = 1000;

function readPlain(path: string): string | undefined {
  return lookAt(path)?.isFile() ? readSmallFile(path)?.toString("latin1") : undefined;
}

/** A link in the file's place is taken away, not written through. */
function replace(path: string, content: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true });
  writeFileSync(path, content, { encoding: "latin1", flag: "wx" });
}
