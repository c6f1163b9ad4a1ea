import { posix } from "node:path";
import { readModule, type ModuleReference } from "./read-module.ts";

/** A file as the check sees it: its path from the root of the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Which rooms each room may import. */
export type ImportTable = Readonly<Record<string, readonly string[]>>;

/** A place where a rule of the house is broken. */
export interface Breach {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

const MAX_LINES = 400;
const MAX_FILES = 25;

/** Finds every breach of the rules for rooms and doors in the files under `src/`. */
export function findBreaches(files: readonly SourceFile[], table: ImportTable): readonly Breach[] {
  const sources = files.filter(({ path }) => !path.endsWith(".test.ts"));
  const innerDoors = new Set(sources.map(({ path }) => path).filter((path) => path.endsWith("/internal.ts")));
  return [
    ...files.flatMap((file) => [...breachesOf(file, table, innerDoors)]),
    ...[...fullFolders(sources), ...circles(sources)].map((breach) => ({ ...breach, line: 1 })),
  ];
}

/** Whoever opens a folder should see at once what is in it; tests are not counted. */
function fullFolders(sources: readonly SourceFile[]): readonly Omit<Breach, "line">[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([file, count]) => ({ file, rule: "folder-size", message: `${count} files; ${MAX_FILES} is the end` }));
}

/** Files that lead back to themselves cannot be read one after the other; an import of types counts too. */
function circles(sources: readonly SourceFile[]): readonly Omit<Breach, "line">[] {
  const imports = new Map(
    sources.map(({ path, text }) => [
      path,
      readModule(text)
        .references.filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
    ]),
  );
  const found: Omit<Breach, "line">[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const begin = way.indexOf(path);
    if (begin !== -1) {
      const message = `${[...way.slice(begin), path].join(" -> ")} is a circle`;
      found.push({ file: path, rule: "no-circle", message });
    }
    if (begin !== -1 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

/** A breach as one line that an editor can open. */
export function formatBreach({ file, line, rule, message }: Breach): string {
  return `${file}:${line}: ${rule}: ${message}`;
}

function* breachesOf(file: SourceFile, table: ImportTable, innerDoors: ReadonlySet<string>): Generator<Breach> {
  const at = (line: number, rule: string, message: string): Breach => ({ file: file.path, line, rule, message });
  const module = readModule(file.text);
  const room = roomOf(file.path);

  if (room === undefined && file.path !== "src/index.ts") {
    yield at(1, "rooms-only", "a file under src/ lives in a room; only src/index.ts stands outside");
  }
  if (room !== undefined && !Object.hasOwn(table, room)) {
    yield at(1, "known-room", `the room "${room}" is not in test/import-table.json`);
  }
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  if (lines > MAX_LINES) yield at(MAX_LINES + 1, "file-size", `${lines} lines; ${MAX_LINES} is the end`);
  for (const line of module.starExports) yield at(line, "no-export-star", "name what is exported");
  for (const line of module.defaultExports) yield at(line, "no-default-export", "export by name");
  if (room !== "cli") {
    for (const line of module.consoleUses) yield at(line, "no-console", "only the room cli writes to the terminal");
  }
  if (isDoor(file.path)) {
    for (const line of module.logic) yield at(line, "door-without-logic", "a door holds only `export { … } from`");
  }
  for (const reference of module.references) {
    const problem = judge(reference, file.path, table) ?? judgeDoor(reference, file.path, innerDoors);
    if (problem) yield at(reference.line, problem.rule, problem.message);
  }
}

/** A test may import any room and the helpers under `test/`, so that it can use real parts; it too uses the doors. */
function judge(
  { specifier }: ModuleReference,
  from: string,
  table: ImportTable,
): Pick<Breach, "rule" | "message"> | undefined {
  if (/^skein(\/|$)/.test(specifier)) {
    return { rule: "no-self-import", message: `"${specifier}" is this package; import the room's door` };
  }
  if (!specifier.startsWith(".")) return undefined;
  const target = posix.join(posix.dirname(from), specifier);
  const isTest = from.endsWith(".test.ts");
  if (!target.startsWith("src/")) {
    if (isTest) return undefined;
    return { rule: "inside-src", message: `"${specifier}" leads out of src/` };
  }
  const room = roomOf(from);
  const targetRoom = roomOf(target);
  if (room !== undefined && room === targetRoom) {
    if (!isDoor(target) || isTest) return undefined;
    return { rule: "own-door", message: "inside a room, import the file itself" };
  }
  if (targetRoom === undefined || !isDoor(target)) {
    return { rule: "by-the-door", message: `"${specifier}" is not the door of a room` };
  }
  if (room === undefined || isTest || table[room]?.includes(targetRoom)) return undefined;
  return { rule: "downwards-only", message: `the room "${room}" may not import "${targetRoom}"` };
}

/** A room with two doors has one for users and one for other rooms; a test may take either. */
function judgeDoor(
  { specifier }: ModuleReference,
  from: string,
  innerDoors: ReadonlySet<string>,
): Pick<Breach, "rule" | "message"> | undefined {
  const room = roomOf(posix.join(posix.dirname(from), specifier));
  if (room === undefined || room === roomOf(from) || from.endsWith(".test.ts")) return undefined;
  if (!innerDoors.has(`src/${room}/internal.ts`)) return undefined;
  const isForUsers = roomOf(from) === undefined || isUserDoor(from);
  if (isForUsers === specifier.endsWith("/index.ts")) return undefined;
  const door = isForUsers ? "index.ts" : "internal.ts";
  return { rule: "right-door", message: `"${specifier}" is the other door: here it is the room's ${door}` };
}

function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function isDoor(path: string): boolean {
  return isUserDoor(path) || /^src\/[^/]+\/internal\.ts$/.test(path);
}

function isUserDoor(path: string): boolean {
  return /^src\/([^/]+\/)?index\.ts$/.test(path);
}
