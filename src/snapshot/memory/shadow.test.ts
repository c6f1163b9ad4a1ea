import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../core/internal.ts";
import { createGitSnapshotStore, openSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

// To this clock no file is young. Git compares seconds, so each test lets one pass: they do it together.
const AHEAD = { ...systemClock, now: () => systemClock.now() + 10_000 };

/** A workspace at which git has looked, and the store that remembers it. */
interface Place extends AsyncDisposable {
  readonly root: string;
  readonly directory: string;
  readonly store: SnapshotStore;
  at(path: string): string;
  write(path: string, text: string): void;
  /** The files in which stores remember what git has seen. */
  indexes(): readonly string[];
  /** Another store, as a later process opens it. */
  open(): Promise<SnapshotStore>;
}

describe.concurrent("a capture for which git looks at the files", () => {
  const changes: Readonly<Record<string, (place: Place) => void>> = {
    nothing: () => undefined,
    "an edit of the same size, with the time of before": ({ at, write }) => {
      const { atime, mtime } = lstatSync(at("folder/a"));
      write("folder/a", "CONTENT OF folder/a");
      utimesSync(at("folder/a"), atime, mtime);
    },
    "an edit to nothing": ({ at }) => truncateSync(at("a")),
    "a change of permissions that git's trees do not show": ({ at }) => chmodSync(at("b"), 0o640),
    "a file that became executable": ({ at }) => chmodSync(at("a"), 0o755),
    "a folder's permissions": ({ at }) => chmodSync(at("folder/deep"), 0o700),
    "a file in a link's place, and a link in a file's": ({ at, write }) => {
      rmSync(at("link"));
      write("link", "a");
      rmSync(at("b"));
      symlinkSync("a", at("b"));
    },
    "a link to elsewhere": ({ at }) => {
      rmSync(at("link"));
      symlinkSync("b", at("link"));
    },
    "a folder in a file's place": ({ at, write }) => {
      rmSync(at("a"));
      mkdirSync(at("a"));
      write("a/inside", "new");
    },
    "a file in a folder's place": ({ at, write }) => {
      rmSync(at("folder"), { recursive: true });
      write("folder", "new");
    },
    "a link to a folder with the same files in the folder's place": ({ at, root }) => {
      renameSync(at("folder"), join(root, "outside"));
      symlinkSync(join(root, "outside"), at("folder"));
    },
    "a pipe in a file's place, which nobody must open": ({ at }) => {
      rmSync(at("a"));
      execFileSync("mkfifo", [at("a")]);
    },
    "a file that is gone": ({ at }) => rmSync(at("folder/deep/a")),
    "a file that is new": ({ write }) => write("folder/deep/new", "new"),
    "a file that was renamed over another": ({ at }) => renameSync(at("a"), at("folder/b")),
    "two files in each other's places": ({ at }) => {
      renameSync(at("a"), at("c"));
      renameSync(at("b"), at("a"));
      renameSync(at("c"), at("b"));
    },
    "other ignore rules": ({ at }) => appendFileSync(at(".gitignore"), "\nb\n"),
    "other rules of Skein's own": ({ write }) => write("folder/.skeinignore", "a\n"),
    "an index that is gone": ({ write, indexes }) => {
      for (const path of indexes()) rmSync(path);
      write("a", "changed");
    },
    "an index that is cut off": ({ write, indexes }) => {
      for (const path of indexes()) truncateSync(path, 150);
      write("a", "changed");
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`finds ${name} as one without a memory does`, async () => {
      await using place = await createPlace();
      const { root, directory, store } = place;
      expect(place.indexes()).toHaveLength(1);
      change(place);
      const { id } = await store.capture(directory);
      await using fresh = await createGitSnapshotStore({ workspace: directory, home: join(root, "fresh") });
      expect(id).toBe((await fresh.capture(directory)).id);
    });
  }

  it("uses the index that the process before it left", async () => {
    await using place = await createPlace();
    const { directory, indexes } = place;
    await place.store.close();
    const [index = ""] = indexes();
    expect(lstatSync(index).mtimeMs).toBe(0x7fff_ffff * 1000);
    await using store = await place.open();
    await store.capture(directory);
    expect(indexes()).toEqual([index]);
  });

  it("takes no index that was not written with what it remembers", async () => {
    await using place = await createPlace();
    const { directory, indexes } = place;
    place.write("a", "later");
    await place.store.capture(directory);
    const older = indexes().map((path) => [path, readFileSync(path)] as const);
    await place.store.close();
    const [newer = ""] = indexes().filter((path) => !older.some(([each]) => each === path));
    rmSync(newer);
    for (const [path, content] of older) writeFileSync(path, content);
    await using store = await place.open();
    const { id } = await store.capture(directory);
    expect((await store.read(id, "a")).toString()).toBe("later");
  });

  it("leaves a file out that is now over the limit", async () => {
    await using place = await createPlace();
    const { directory, store } = place;
    const { leftOut } = await store.capture(directory, { sizeLimitBytes: 12 });
    expect(leftOut.map(({ path }) => path)).toContain("folder/deep/a");
  });
});

async function createPlace(): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "skein-pass-"));
  const directory = join(root, "workspace");
  const at = (path: string): string => join(directory, path);
  const write = (path: string, text: string): void => writeFileSync(at(path), text);
  const open = (): Promise<SnapshotStore> =>
    openSnapshotStore({ workspace: directory, home: join(root, "home"), clock: AHEAD }, { fewFiles: 0 });
  mkdirSync(at("folder/deep"), { recursive: true });
  for (const path of ["a", "b", "folder/a", "folder/b", "folder/deep/a", ".gitignore"])
    write(path, `content of ${path}`);
  chmodSync(at("b"), 0o600);
  symlinkSync("a", at("link"));
  await nextSecond(root);
  const store = await open();
  await store.capture(directory);
  // The second one waits until what the first has left for it is written.
  await store.capture(directory);
  const dispose = async (): Promise<void> => {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { root, directory, store, at, write, open, indexes: () => indexesIn(root), [Symbol.asyncDispose]: dispose };
}

function indexesIn(root: string): readonly string[] {
  const [key = ""] = readdirSync(join(root, "home/workspaces"));
  const folder = join(root, "home/workspaces", key, "index");
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Waits until the file system's clock has come to another second. */
async function nextSecond(root: string): Promise<void> {
  const second = (): number => {
    writeFileSync(join(root, "tick"), "");
    return Math.floor(lstatSync(join(root, "tick")).ctimeMs / 1000);
  };
  for (const now = second(); second() === now;) await systemClock.sleep(20);
}
