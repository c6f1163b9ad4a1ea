import { readFile, realpath, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside, packageRoot, parseJson } from "../../core/internal.ts";
import { filesBelow } from "./read-configuration.ts";

/** Where a plugin's module is, and all files that it is made of. */
export interface PluginFiles {
  /** The file that is imported, as a real path. */
  readonly entry: string;
  readonly files: readonly string[];
}

/**
 * Finds the module that a configuration file names, a file of its folder or an installed package, and what that imports: files by their
 * paths, packages whole, with what they depend on. None where it is not there, or lies elsewhere. What a module loads by a name that it
 * computes cannot be told. With `onlyHere` a package counts only where it is installed in the folder itself, and not above.
 */
export async function findPluginFiles(
  folder: string,
  module: string,
  { onlyHere = false }: { readonly onlyHere?: boolean } = {},
): Promise<PluginFiles | undefined> {
  const real = await realpath(folder);
  const isPath = /^\.{0,2}\//u.test(module);
  const entry = isPath ? await realFile(resolve(real, module)) : await packageEntry(real, module, onlyHere);
  if (entry === undefined || (isPath && !isInside(entry, real))) return undefined;
  const seen = new Set<string>();
  if (isPath) await addModule(entry, seen);
  else await addPackage(real, module, seen.add(entry));
  return { entry, files: [...seen].toSorted() };
}

/** What a program names in order to load it; texts in the same shape that are none are looked for in vain. */
const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bresolve\s*\(\s*)(["'`])((?:(?!\1)[^\\\n])+)\1/gu;

/** A path in a text of its own may be loaded too, such as by `new Worker("./work.js")`. */
const PATH_TEXT = /(["'`])(\.{1,2}\/(?:(?!\1)[^\\\n])+)\1/gu;

async function addModule(file: string, seen: Set<string>): Promise<void> {
  if (seen.has(file)) return;
  seen.add(file);
  const text = await readFile(file, "utf8").catch(() => "");
  const folder = dirname(file);
  const names = [IMPORTED, PATH_TEXT].flatMap((pattern) => [...text.matchAll(pattern)].map(([, , name = ""]) => name));
  for (const name of new Set(names)) {
    if (!isBuiltin(name)) await addNamed(folder, name, seen);
  }
}

async function addNamed(folder: string, name: string, seen: Set<string>): Promise<void> {
  if (await addOwn(folder, name, seen)) return;
  if (!/^(?:\.{0,2}\/|file:)/u.test(name)) return await addPackage(folder, name, seen);
  for (const spelling of spellings(name)) {
    for (const path of await loadedFor(resolve(folder, spelling))) await addModule(path, seen);
  }
}

/** An `import` takes an address, a `require` a path: `./a.js?1` and `./%61.js` may both name `a.js`. */
function spellings(name: string): ReadonlySet<string> {
  const bare = name.replace(/[?#].*$/su, "");
  try {
    return new Set([name, name.startsWith("file:") ? fileURLToPath(bare) : decodeURIComponent(bare)]);
  } catch {
    return new Set([name, bare]);
  }
}

/** What a package names for itself: `#name` by its `imports`, its own name by its `exports`; whatever the condition. */
async function addOwn(from: string, name: string, seen: Set<string>): Promise<boolean> {
  const scope = await nearestPackage(from);
  if (scope === undefined) return false;
  const { imports, exports, name: own } = await readPackage(scope);
  const isPrivate = name.startsWith("#");
  if (!isPrivate && (exports === undefined || own === undefined || packageName(name) !== own)) return false;
  seen.add(await realpath(join(scope, "package.json")));
  for (const place of isPrivate ? targetsOf(imports, name) : targetsOf(exports, `.${name.slice(own?.length)}`)) {
    if (!place.startsWith("./")) await addPackage(scope, place, seen);
    else for (const path of await loadedFor(resolve(scope, place))) await addModule(path, seen);
  }
  return true;
}

async function nearestPackage(from: string): Promise<string | undefined> {
  for (let folder = from, last = ""; folder !== last; [last, folder] = [folder, dirname(folder)]) {
    if (await realFile(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

/** All that a name may stand for, with what its `*` is. */
function targetsOf(table: unknown, name: string): readonly string[] {
  const hasNames = typeof table === "object" && table !== null && Object.keys(table).some((key) => /^[.#]/u.test(key));
  if (!hasNames) return name === "." ? textsIn(table) : [];
  return Object.entries(table).flatMap(([key, value]) => {
    const [before = "", after] = key.split("*");
    if (after === undefined) return key === name ? textsIn(value) : [];
    if (!name.startsWith(before) || !name.endsWith(after)) return [];
    const star = name.slice(before.length, name.length - after.length);
    return textsIn(value).map((text) => text.replaceAll("*", star));
  });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".json", ".node", "/index.js", "/index.cjs", "/index.node"];

async function loadedFor(path: string): Promise<readonly string[]> {
  const main = await mainOf(path);
  const places = [path, ...(main === undefined ? [] : [join(path, "package.json"), resolve(path, main)])];
  const found = await Promise.all(places.flatMap((place) => ENDINGS.map((ending) => realFile(place + ending))));
  return found.filter((file) => file !== undefined);
}

/** What a folder stands for that is named as a whole. */
async function mainOf(folder: string): Promise<string | undefined> {
  const { main } = await readPackage(folder);
  return typeof main === "string" ? main : undefined;
}

async function addPackage(from: string, name: string, seen: Set<string>): Promise<void> {
  const folder = await packageFolder(from, name);
  // Of the package that runs nobody looks at the files: whoever can change it need not bother with a plugin's.
  if (folder === undefined || seen.has(join(folder, "package.json")) || folder === packageRoot()) return;
  for (const file of await filesBelow(folder)) seen.add(file);
  const { dependencies, optionalDependencies, peerDependencies } = await readPackage(folder);
  const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  for (const other of Object.keys(needed)) await addPackage(folder, other, seen);
}

/** The real folder of a package, as Node finds it: in the nearest `node_modules` that has it. */
async function packageFolder(from: string, name: string, onlyHere = false): Promise<string | undefined> {
  const own = packageName(name);
  if (own === undefined) return undefined;
  for (let folder = from, last = ""; folder !== last; [last, folder] = [folder, dirname(folder)]) {
    const place = join(folder, "node_modules", own);
    if (await realFile(join(place, "package.json"))) return await realpath(place);
    if (onlyHere) return undefined;
  }
  return undefined;
}

function packageName(name: string): string | undefined {
  return /^(?:@[\w.~-]+\/)?[A-Za-z0-9_~-][\w.~-]*/u.exec(name)?.[0];
}

async function packageEntry(from: string, name: string, onlyHere: boolean): Promise<string | undefined> {
  const folder = await packageFolder(from, name, onlyHere);
  if (folder === undefined) return undefined;
  const { exports, main } = await readPackage(folder);
  const subpath = `.${name.slice(packageName(name)?.length)}`;
  const path = exports === undefined ? (subpath === "." ? (main ?? "index.js") : subpath) : exported(exports, subpath);
  if (path === undefined || !isInside(resolve(folder, path), folder)) return undefined;
  const [file] = await loadedFor(resolve(folder, path));
  return file;
}

/** What a package gives for `import`, of the forms in which `exports` can be written without patterns. */
function exported(exports: unknown, subpath: string): string | undefined {
  const hasSubpaths =
    typeof exports === "object" && exports !== null && Object.keys(exports).some((key) => key.startsWith("."));
  if (hasSubpaths) return target((exports as Readonly<Record<string, unknown>>)[subpath]);
  return subpath === "." ? target(exports) : undefined;
}

const CONDITIONS = ["import", "module-sync", "node", "default"];

function target(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(target).find((each) => each !== undefined);
  if (typeof value !== "object" || value === null) return undefined;
  const fitting = Object.entries(value).filter(([condition]) => CONDITIONS.includes(condition));
  return fitting.map(([, inner]) => target(inner)).find((each) => each !== undefined);
}

interface PackageFile {
  readonly name?: string;
  readonly imports?: unknown;
  readonly main?: string;
  readonly exports?: unknown;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

async function readPackage(folder: string): Promise<PackageFile> {
  const value = parseJson(await readFile(join(folder, "package.json"), "utf8").catch(() => ""));
  return typeof value === "object" && value !== null ? value : {};
}

async function realFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? await realpath(path) : undefined;
}
