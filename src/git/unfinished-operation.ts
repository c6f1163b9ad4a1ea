import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "./files/look-at.ts";
import { readSmallFile } from "./files/read-small-file.ts";
import { isUnfinishedFile, UNFINISHED_FILES, UNFINISHED_FOLDERS } from "./unfinished-files.ts";

/** Git's own files about a merge, rebase or the like that was not finished: name in `.git`, and one character a byte. */
export type UnfinishedOperation = Readonly<Record<string, string>>;

/** Reads what git left in a repository about work that it did not finish; undefined where there is none. */
export function readUnfinished(gitDirectory: string): UnfinishedOperation | undefined {
  const found: [string, string][] = [];
  for (const name of UNFINISHED_FILES) {
    const content = readPlain(gitDirectory, name);
    if (content !== undefined) found.push([name, content]);
  }
  for (const folder of UNFINISHED_FOLDERS) found.push(...(readFolder(gitDirectory, folder) ?? []));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Makes a repository's unfinished work what it was. What no snapshot could hold is left alone. */
export function writeUnfinished(gitDirectory: string, wanted: UnfinishedOperation = {}): void {
  for (const name of UNFINISHED_FILES) {
    if (wanted[name] === undefined && readPlain(gitDirectory, name) !== undefined) rmSync(join(gitDirectory, name));
  }
  for (const folder of UNFINISHED_FOLDERS) {
    if (readFolder(gitDirectory, folder) !== undefined) rmSync(join(gitDirectory, folder), { recursive: true });
  }
  const writable = UNFINISHED_FOLDERS.filter((folder) => lookAt(join(gitDirectory, folder)) === undefined);
  for (const [name, content] of Object.entries(wanted)) {
    const [folder = "", file] = name.split("/");
    // Asked once more where it is written: a name that leads elsewhere would overwrite any file.
    if (!isUnfinishedFile(name, content) || (file !== undefined && !writable.includes(folder))) continue;
    if (file !== undefined) mkdirSync(join(gitDirectory, folder), { recursive: true });
    replace(join(gitDirectory, name), content);
  }
}

/** Undefined where there is no such folder, or one that has other things in it than what git writes there. */
function readFolder(gitDirectory: string, folder: string): readonly [string, string][] | undefined {
  const path = join(gitDirectory, folder);
  if (!lookAt(path)?.isDirectory()) return undefined;
  const found: [string, string][] = [];
  for (const name of readdirSync(path).toSorted()) {
    const content = readPlain(gitDirectory, `${folder}/${name}`);
    if (content === undefined || found.length === MOST_FILES) return undefined;
    found.push([`${folder}/${name}`, content]);
  }
  return found;
}

const MOST_FILES = 1000;

function readPlain(gitDirectory: string, name: string): string | undefined {
  const path = join(gitDirectory, name);
  const content = lookAt(path)?.isFile() ? readSmallFile(path)?.toString("latin1") : undefined;
  return content !== undefined && isUnfinishedFile(name, content) ? content : undefined;
}

/** A link in the file's place is taken away, not written through. */
function replace(path: string, content: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true });
  writeFileSync(path, content, { encoding: "latin1", flag: "wx" });
}
