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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../core/index.ts";
import { createGitSnapshotStore, openSnapshotStore } from "./git-snapshot-store.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

// To this clock no file is young. Git compares seconds, so each test lets one pass.
const AHEAD = { ...systemClock, now: () => systemClock.now() + 10_000 };

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-pass-"));
  directory = join(root, "workspace");
  mkdirSync(join(directory, "folder/deep"), { recursive: true });
  for (const path of ["a", "b", "folder/a", "folder/b", "folder/deep/a", ".gitignore"])
    write(path, `content of ${path}`);
  chmodSync(join(directory, "b"), 0o600);
  symlinkSync("a", join(directory, "link"));
  await nextSecond();
  store = await open();
  await store.capture(directory);
  // The second one waits until what the first has left for it is written.
  await store.capture(directory);
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a capture for which git looks at the files", () => {
  const changes: Readonly<Record<string, () => void>> = {
    nothing: () => undefined,
    "an edit of the same size, with the time of before": () => {
      const { atime, mtime } = lstatSync(join(directory, "folder/a"));
      write("folder/a", "CONTENT OF folder/a");
      utimesSync(join(directory, "folder/a"), atime, mtime);
    },
    "an edit to nothing": () => truncateSync(join(directory, "a")),
    "a change of permissions that git's trees do not show": () => chmodSync(join(directory, "b"), 0o640),
    "a file that became executable": () => chmodSync(join(directory, "a"), 0o755),
    "a folder's permissions": () => chmodSync(join(directory, "folder/deep"), 0o700),
    "a file in a link's place, and a link in a file's": () => {
      rmSync(join(directory, "link"));
      write("link", "a");
      rmSync(join(directory, "b"));
      symlinkSync("a", join(directory, "b"));
    },
    "a link to elsewhere": () => {
      rmSync(join(directory, "link"));
      symlinkSync("b", join(directory, "link"));
    },
    "a folder in a file's place": () => {
      rmSync(join(directory, "a"));
      mkdirSync(join(directory, "a"));
      write("a/inside", "new");
    },
    "a file in a folder's place": () => {
      rmSync(join(directory, "folder"), { recursive: true });
      write("folder", "new");
    },
    "a link to a folder with the same files in the folder's place": () => {
      renameSync(join(directory, "folder"), join(root, "outside"));
      symlinkSync(join(root, "outside"), join(directory, "folder"));
    },
    "a pipe in a file's place, which nobody must open": () => {
      rmSync(join(directory, "a"));
      execFileSync("mkfifo", [join(directory, "a")]);
    },
    "a file that is gone": () => rmSync(join(directory, "folder/deep/a")),
    "a file that is new": () => write("folder/deep/new", "new"),
    "a file that was renamed over another": () => renameSync(join(directory, "a"), join(directory, "folder/b")),
    "two files in each other's places": () => {
      renameSync(join(directory, "a"), join(directory, "c"));
      renameSync(join(directory, "b"), join(directory, "a"));
      renameSync(join(directory, "c"), join(directory, "b"));
    },
    "other ignore rules": () => appendFileSync(join(directory, ".gitignore"), "\nb\n"),
    "other rules of Skein's own": () => write("folder/.skeinignore", "a\n"),
    "an index that is gone": () => {
      for (const path of indexes()) rmSync(path);
      write("a", "changed");
    },
    "an index that is cut off": () => {
      for (const path of indexes()) truncateSync(path, 150);
      write("a", "changed");
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`finds ${name} as one without a memory does`, async () => {
      expect(indexes()).toHaveLength(1);
      change();
      const { id } = await store.capture(directory);
      await using fresh = await createGitSnapshotStore({ workspace: directory, home: join(root, "fresh") });
      expect(id).toBe((await fresh.capture(directory)).id);
    });
  }

  it("uses the index that the process before it left", async () => {
    await store.close();
    const [index = ""] = indexes();
    expect(lstatSync(index).mtimeMs).toBe(0x7fff_ffff * 1000);
    store = await open();
    await store.capture(directory);
    expect(indexes()).toEqual([index]);
  });

  it("takes no index that was not written with what it remembers", async () => {
    write("a", "later");
    await store.capture(directory);
    const older = indexes().map((path) => [path, readFileSync(path)] as const);
    await store.close();
    const [newer = ""] = indexes().filter((path) => !older.some(([each]) => each === path));
    rmSync(newer);
    for (const [path, content] of older) writeFileSync(path, content);
    store = await open();
    const { id } = await store.capture(directory);
    expect((await store.read(id, "a")).toString()).toBe("later");
  });

  it("leaves a file out that is now over the limit", async () => {
    const { leftOut } = await store.capture(directory, { sizeLimitBytes: 12 });
    expect(leftOut.map(({ path }) => path)).toContain("folder/deep/a");
  });
});

function open(): Promise<SnapshotStore> {
  return openSnapshotStore({ workspace: directory, home: join(root, "home"), clock: AHEAD }, { fewFiles: 0 });
}

function indexes(): readonly string[] {
  const [key = ""] = readdirSync(join(root, "home/workspaces"));
  const folder = join(root, "home/workspaces", key, "index");
  return readdirSync(folder).map((name) => join(folder, name));
}

function write(path: string, text: string): void {
  writeFileSync(join(directory, path), text);
}

/** Waits until the file system's clock has come to another second. */
async function nextSecond(): Promise<void> {
  const second = (): number => {
    writeFileSync(join(root, "tick"), "");
    return Math.floor(lstatSync(join(root, "tick")).ctimeMs / 1000);
  };
  for (const now = second(); second() === now;) await systemClock.sleep(20);
}
