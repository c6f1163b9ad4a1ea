import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { systemClock } from "../core/internal.ts";
import { createGitSnapshotStore, openSnapshotStore } from "./git-snapshot-store.ts";
import type { FileChange } from "./snapshot-store.ts";

// Paths are held as latin1 here, one character a byte, so that names need not be UTF-8.
const NAMES = [
  "a",
  "b",
  "c d",
  'quo"te',
  "new\nline",
  "-flag",
  ":(top)x",
  "back\\slash",
  "\xc3\xbc",
  "\xff\xfe",
  ".hidden",
];
const LANES = 5;
const name = fc.constantFrom(...NAMES);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const content = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 3, arbitrary: fc.constant("line\r\n".repeat(50)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((digit) => String(digit).repeat(300_000)) },
);
const edit = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("write" as const), path, content }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("link" as const), path, to: fc.constantFrom("a", "/", "../..", "\xff") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("folder" as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mode" as const),
      path,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o555, 0o777),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rename" as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repository" as const), path }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

it("gives back any tree after any edits, with equal ids for equal trees and a diff of exactly the edits", async () => {
  await tryInLanes(
    fc.asyncProperty(fc.array(edit, { maxLength: 25 }), fc.array(edit, { maxLength: 25 }), async (making, editing) => {
      const root = mkdtempSync(join(tmpdir(), "skein-property-"));
      try {
        const directory = join(root, "workspace");
        mkdirSync(directory);
        await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
        for (const step of making) apply(directory, step);
        const before = look(directory);
        const first = await store.capture(directory);
        for (const step of editing) if (step.do !== "repository") apply(directory, step);
        const after = look(directory);
        const second = await store.capture(directory);
        expect(flatten(await store.diff(first.id, second.id))).toEqual(compare(before, after));
        await store.restore(first.id, directory);
        expect(look(directory)).toEqual(before);
        expect((await store.capture(directory)).id).toBe(first.id);
        await store.materialise(second.id, join(root, "elsewhere"));
        expect(look(join(root, "elsewhere"))).toEqual(after);
        expect((await store.capture(join(root, "elsewhere"))).id).toBe(second.id);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    propertyRuns({ few: 10, all: 30 }),
  );
}, 120_000);

it("finds by git's look at the files what a store without a memory finds by its own", async () => {
  await tryInLanes(
    fc.asyncProperty(fc.array(edit, { maxLength: 25 }), fc.array(edit, { maxLength: 25 }), async (making, editing) => {
      const root = mkdtempSync(join(tmpdir(), "skein-property-"));
      try {
        const directory = join(root, "workspace");
        mkdirSync(directory);
        const fresh = async (): Promise<string> => {
          const home = mkdtempSync(join(root, "home-"));
          await using store = await createGitSnapshotStore({ workspace: directory, home });
          return (await store.capture(directory)).id;
        };
        const options = { workspace: directory, home: join(root, "home"), clock: AHEAD };
        await using store = await openSnapshotStore(options, { fewFiles: 0 });
        for (const step of making) apply(directory, step);
        const before = look(directory);
        await nextSecond(root);
        const first = await store.capture(directory);
        for (const step of editing) if (step.do !== "repository") apply(directory, step);
        await nextSecond(root);
        expect((await store.capture(directory)).id).toBe(await fresh());
        await store.restore(first.id, directory);
        expect(look(directory)).toEqual(before);
        expect(await fresh()).toBe(first.id);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    propertyRuns({ few: 8, all: 20 }),
  );
}, 180_000);

/** Tries several at a time: most of it is waiting, for the disk and for the next second. */
async function tryInLanes<T>(property: fc.IAsyncProperty<T>, runs: number): Promise<void> {
  const lanes = Array.from({ length: LANES }, () => fc.assert(property, { numRuns: Math.ceil(runs / LANES) }));
  await Promise.all(lanes);
}

/** To this clock no file is so young that it has to be read again; `nextSecond` makes that true for git as well. */
const AHEAD = { ...systemClock, now: () => systemClock.now() + 10_000 };

/** Waits until the file system's clock has come to another second, which is what git compares. */
async function nextSecond(folder: string): Promise<void> {
  const second = (): number => {
    writeFileSync(join(folder, "tick"), "");
    return Math.floor(lstatSync(join(folder, "tick")).ctimeMs / 1000);
  };
  for (const now = second(); second() === now;) await systemClock.sleep(20);
}

function apply(directory: string, step: Edit): void {
  const at = bytes(`${directory}/${step.path}`);
  try {
    switch (step.do) {
      case "write":
        mkdirSync(bytes(`${directory}/${step.path}/..`.replace(/\/[^/]*\/\.\.$/s, "")), { recursive: true });
        return writeThrough(at, step.content);
      case "link":
        return symlinkSync(bytes(step.to), at);
      case "folder":
        return void mkdirSync(at, { recursive: true });
      case "remove":
        return rmSync(at.toString("latin1") === at.toString() ? at.toString() : at, { recursive: true });
      case "mode":
        return lstatSync(at).isSymbolicLink() ? undefined : chmodSync(at, step.mode);
      case "rename":
        return holdsRepository(at) ? undefined : renameSync(at, bytes(`${directory}/${step.to}`));
      case "repository":
        mkdirSync(bytes(`${directory}/${step.path}/.git`), { recursive: true });
        return writeFileSync(bytes(`${directory}/${step.path}/.git/HEAD`), "ref: refs/heads/main\n");
    }
  } catch {
    // The step does not fit the tree: a file in a folder's place, nothing to remove, and the like.
  }
}

/** A link to a file outside would be written through. */
function writeThrough(at: Buffer, text: string): void {
  if (existsSync(at) && lstatSync(at).isSymbolicLink()) return;
  writeFileSync(at, text, { flag: "w" });
}

function holdsRepository(at: Buffer): boolean {
  if (!lstatSync(at).isDirectory()) return false;
  return readdirSync(at, { encoding: "latin1" }).some(
    (entry) => entry === ".git" || holdsRepository(bytes(`${at.toString("latin1")}/${entry}`)),
  );
}

/** Every path with its kind, mode and content; `/` at the end marks a folder. */
function look(directory: string, below = "", seen = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const entry of readdirSync(bytes(`${directory}/${below}`), { encoding: "latin1" }).toSorted()) {
    if (entry === ".git") continue;
    const at = bytes(`${directory}/${below}${entry}`);
    const stats = lstatSync(at);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) seen.set(below + entry, `link ${readlinkSync(at, { encoding: "latin1" })}`);
    else if (stats.isFile()) seen.set(below + entry, `${mode} ${readFileSync(at, "latin1")}`);
    else {
      seen.set(`${below}${entry}/`, mode);
      look(directory, `${below}${entry}/`, seen);
    }
  }
  return seen;
}

function compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const isEmpty = (tree: ReadonlyMap<string, string>, folder: string): boolean =>
    ![...tree.keys()].some((other) => other !== folder && other.startsWith(folder));
  const changes: string[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)];
    if (was === is) continue;
    const type = was === undefined ? "created" : is === undefined ? "deleted" : "modified";
    if (key.endsWith("/") && type !== "modified" && !isEmpty(type === "created" ? after : before, key)) continue;
    changes.push(`${type} ${key}`);
  }
  return changes.toSorted();
}

function flatten(changes: readonly FileChange[]): readonly string[] {
  const lines = changes.flatMap((change) => {
    const at = latin1(change.pathBytes ?? change.path);
    if (change.type === "renamed") return [`created ${at}`, `deleted ${latin1(change.fromBytes ?? change.from)}`];
    const state = change.type === "deleted" ? change.before : change.after;
    return [`${change.type} ${at}${state.kind === "directory" ? "/" : ""}`];
  });
  return lines.toSorted();
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function latin1(given: string | Uint8Array): string {
  return Buffer.from(given as string).toString("latin1");
}
