import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../core/internal.ts";
import { toLook } from "../capture/tree-node.ts";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotFile } from "../snapshot-store.ts";
import { openRepository } from "../store/repository.ts";
import { seedFromIndex } from "./seed-from-index.ts";

let root: string;
let directory: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-seed-"));
  directory = join(root, "workspace");
  mkdirSync(join(directory, "folder/deep"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  for (const path of PATHS) writeFileSync(join(directory, path), `content of ${path}\r\n$Id$\n`.repeat(40));
  symlinkSync("a", join(directory, "link"));
  await nextTick();
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const PATHS = ["a", "folder/b", "folder/deep/c"];

describe("a first snapshot of a git workspace", () => {
  for (const version of ["2", "4"]) {
    it(`reads no file that the user's index of version ${version} knows, and holds its content`, async () => {
      commit("-c", `index.version=${version}`);
      expect(await seeded()).toEqual(["a", "folder/b", "folder/deep/c", "link"]);
      await expectTrue();
    });
  }

  it("outlives the user's objects", async () => {
    commit();
    git("repack", "-adq");
    await using store = await openStore();
    const { id } = await store.capture(directory);
    rmSync(join(directory, ".git"), { recursive: true });
    expect(await store.verify()).toEqual([]);
    for (const path of PATHS) expect(await store.read(id, path)).toEqual(readFileSync(join(directory, path)));
  });

  const edits: Readonly<Record<string, () => void>> = {
    "a file that was changed to the same size, with the time of before": () => {
      const { atime, mtime } = lstatSync(join(directory, "a"));
      const content = readFileSync(join(directory, "a"));
      writeFileSync(join(directory, "a"), content.fill("x"));
      utimesSync(join(directory, "a"), atime, mtime);
    },
    "a file that is gone, one that is new and one that became executable": () => {
      rmSync(join(directory, "a"));
      writeFileSync(join(directory, "new"), "new");
      chmodSync(join(directory, "folder/b"), 0o755);
    },
    "a link in a file's place": () => {
      rmSync(join(directory, "a"));
      symlinkSync("folder/b", join(directory, "a"));
    },
    "an object that the user's repository lost": () => {
      for (const name of readdirSync(join(directory, ".git/objects"))
        .filter((each) => each.length === 2)
        .slice(0, 3))
        rmSync(join(directory, ".git/objects", name), { recursive: true });
    },
    "an index that is cut off": () => {
      const index = readFileSync(join(directory, ".git/index"));
      writeFileSync(join(directory, ".git/index"), index.subarray(0, 150));
    },
  };
  for (const [name, edit] of Object.entries(edits)) {
    it(`holds what is there, given ${name}`, async () => {
      commit();
      edit();
      await expectTrue();
    });
  }

  it("reads what line ends, idents or filters made another of than is stored", async () => {
    const swap = "tr a-z A-Z";
    git("config", "core.autocrlf", "true");
    git("config", "filter.loud.clean", swap);
    writeFileSync(join(directory, "folder/.gitattributes"), "b filter=loud -text\n");
    writeFileSync(join(directory, ".gitattributes"), "c -text ident\n");
    commit();
    expect(await seeded()).not.toContain("folder/b");
    await expectTrue();
  });

  it("takes the trees of folders from the user's repository, but of those in which something is staged", async () => {
    commit();
    const trees = idsOf("ls-tree", "-r", "-t", "-d", "--object-only", "HEAD");
    writeFileSync(join(directory, "folder/b"), "staged");
    git("add", "folder/b");
    await nextTick();
    const seed = await openSeed();
    const unstaged = idsOf("rev-parse", "HEAD:folder/deep");
    expect(trees.filter((id) => seed?.copied?.has(id))).toEqual(unstaged);
    await expectTrue();
  });

  it("reads what attributes that are in no index may have made another of than is stored", async () => {
    git("config", "filter.loud.clean", "tr a-z A-Z");
    writeFileSync(join(directory, ".git/info/attributes"), "a filter=loud\n");
    commit();
    rmSync(join(directory, ".git/info/attributes"));
    writeFileSync(join(directory, "folder/.gitattributes"), "b filter=loud\n");
    expect(await seeded()).not.toContain("folder/b");
  });

  it("reads all where attributes were in force that are in the index alone", async () => {
    git("config", "filter.loud.clean", "tr a-z A-Z");
    writeFileSync(join(directory, ".gitattributes"), "a filter=loud\n");
    await nextTick();
    commit();
    rmSync(join(directory, ".gitattributes"));
    expect(await seeded()).toEqual([]);
    await expectTrue();
  });

  it("reads what had changed as late as the index was written", async () => {
    commit();
    const { mtimeMs } = lstatSync(join(directory, "a"));
    utimesSync(join(directory, ".git/index"), mtimeMs / 1000, mtimeMs / 1000);
    expect(await seeded()).toEqual([]);
    await expectTrue();
  });

  it("takes nothing on trust once there is a snapshot", async () => {
    commit();
    await expectTrue();
    expect(await seeded()).toEqual([]);
  });
});

/** The files whose content is known without reading them. */
async function seeded(): Promise<readonly string[]> {
  const seed = await openSeed();
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" });
  await seed?.goBy?.(found.filter((path) => path.endsWith(".gitattributes")));
  return [...PATHS, "link"].filter((path) => {
    const look = toLook(lstatSync(join(directory, path)));
    return seed?.contentOf({ kind: "unread", path, look, before: undefined }) !== undefined;
  });
}

async function openSeed(): ReturnType<typeof seedFromIndex> {
  const repository = await openRepository(directory, { home: join(root, "home") });
  return await seedFromIndex(repository, repository.workspace);
}

function idsOf(...args: readonly string[]): readonly string[] {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" }).split("\n").filter(Boolean);
}

/** Takes a snapshot, which holds every file as it is on the disk. */
async function expectTrue(): Promise<void> {
  await using store = await openStore();
  const { id } = await store.capture(directory);
  expect(await store.verify()).toEqual([]);
  const there = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".git/") && path !== ".git" && !lstatSync(join(directory, path)).isDirectory())
    .toSorted();
  const held: SnapshotFile[] = [];
  for await (const file of store.files(id)) held.push(file);
  expect(held.map(({ path }) => path).toSorted()).toEqual(there);
  for (const { path, kind } of held.filter((file) => file.kind === "file")) {
    expect({ path, kind, content: await store.read(id, path) }).toEqual({
      path,
      kind,
      content: readFileSync(join(directory, path)),
    });
  }
}

function openStore(): ReturnType<typeof createGitSnapshotStore> {
  return createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
}

function commit(...settings: readonly string[]): void {
  git(...settings, "add", "--all");
  git(...settings, "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "commit", "--quiet", "--message", "all");
}

function git(...args: readonly string[]): void {
  execFileSync("git", args, { cwd: directory, stdio: "ignore" });
}

/** Waits until the file system's clock has moved on, so that an index is younger than what it lists. */
async function nextTick(): Promise<void> {
  const now = (): number => {
    writeFileSync(join(root, "tick"), "");
    return lstatSync(join(root, "tick")).ctimeMs;
  };
  for (const first = now(); now() === first;) await systemClock.sleep(2);
}
