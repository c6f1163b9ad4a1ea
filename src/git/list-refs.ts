import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, storageError } from "./files/storage-error.ts";
import { readPackedRefs } from "./packed-refs.ts";

/** The refs below a prefix, named without it. */
export async function listRefs(gitDirectory: string, prefix: string): Promise<ReadonlyMap<string, string>> {
  const refs = await listRefsBelow(gitDirectory, [prefix]);
  return new Map([...refs].map(([name, id]) => [name.slice(prefix.length), id]));
}

/**
 * The refs below some prefixes, which are folders, by their full names and in the order of these. Read without git, whose start takes longer than
 * the listing, and at once: there are some hundreds of files at most, each read sooner than a wait for it would end.
 */
export async function listRefsBelow(
  gitDirectory: string,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const loose = new Map(prefixes.flatMap((prefix) => looseRefs(gitDirectory, prefix)));
  // Read last: what is packed meanwhile is found here, and what git removes, it removes here first.
  const all = read(gitDirectory, () => readPackedRefs(gitDirectory));
  const packed = new Map(prefixes.flatMap((prefix) => all?.below(prefix) ?? []));
  const names = new Set([...loose.keys(), ...packed.keys()]);
  const textOf = (name: string): string =>
    loose.get(name) ?? packed.get(name) ?? readText(join(gitDirectory, name)) ?? all?.idOf(name) ?? "";
  const idOf = (text: string): string => (text.startsWith(LINK) ? textOf(text.slice(LINK.length)) : text);
  const refs = [...names].toSorted().map((name) => [name, idOf(textOf(name))] as const);
  // Git, too, passes over a file in which something else is.
  return new Map(refs.filter(([, id]) => ID.test(id)));
}

const LINK = "ref: ";
const ID = /^[0-9a-f]{40}$/u;

/** The refs that have files of their own, with what these hold: an id, or where to look for it. */
function looseRefs(gitDirectory: string, folder: string): readonly (readonly [name: string, text: string])[] {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return readFolder(join(gitDirectory, prefix)).flatMap((entry) => {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return looseRefs(gitDirectory, name);
    // Other names are those of locks, and of what is half written.
    const text = entry.isFile() && !name.endsWith(".lock") ? readText(join(gitDirectory, name)) : undefined;
    return text === undefined ? [] : [[name, text] as const];
  });
}

function readFolder(path: string): readonly Dirent[] {
  return read(path, () => readdirSync(path, { withFileTypes: true })) ?? [];
}

function readText(path: string): string | undefined {
  return read(path, () => readFileSync(path, "utf8").trimEnd());
}

/** Undefined where it is not there, or is a folder or has become one. */
function read<T>(path: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(errorCode(error))) return undefined;
    throw storageError("The names of what is recorded could not be read", path, error);
  }
}
