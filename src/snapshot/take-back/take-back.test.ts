import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import type { ConflictError } from "./conflict-error.ts";
import type { TakeBackOptions, TakenBack } from "./take-back.ts";

let root: string;
let directory: string;
let workspace: Workspace;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-take-back-"));
  directory = join(root, "app");
  mkdirSync(directory);
  workspace = await Workspace.open(directory, { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true, force: true });
});

const TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

describe("taking back a turn", () => {
  it("keeps what a person made, changed, deleted, renamed and linked since, in other files", async () => {
    for (const name of ["turn", "mine", "gone", "moved"]) write(`${name}.txt`, `${name}\n${TEN}`);
    const undo = await after(() => {
      write("turn.txt", "by the turn\n");
      write("made/deep/new.txt", "by the turn\n");
    });
    write("mine.txt", "by hand\n");
    write("notes.md", "by hand\n");
    write("made/also.txt", "by hand\n");
    rmSync(at("gone.txt"));
    renameSync(at("moved.txt"), at("renamed.txt"));
    symlinkSync("mine.txt", at("link"));
    const done = await undo();
    expect(list()).toEqual({
      "turn.txt": `turn\n${TEN}`,
      "mine.txt": "by hand\n",
      "notes.md": "by hand\n",
      "made/also.txt": "by hand\n",
      "renamed.txt": `moved\n${TEN}`,
      link: "-> mine.txt",
    });
    expect(existsSync(at("made/deep"))).toBe(false);
    expect(done.keptSince).toEqual(
      ["gone.txt", "link", "made/also.txt", "mine.txt", "moved.txt", "notes.md", "renamed.txt"].toSorted(),
    );
    expect(done).toMatchObject({ merged: [], conflicts: [] });
  });

  it("merges lines of one file, whoever renamed it, and gives back modes beside content", async () => {
    for (const name of ["a", "b", "c", "d"]) write(`${name}.txt`, `${name}\n${TEN}`);
    const undo = await after(() => {
      for (const name of ["a", "b"]) write(`${name}.txt`, `${name}\n${TEN.replace("2\n", "two\n")}`);
      renameSync(at("c.txt"), at("c2.txt"));
      chmodSync(at("d.txt"), 0o700);
    });
    for (const name of ["a", "b"]) write(`${name}.txt`, `${name}\n${TEN.replace("2\n", "two\n")}mine\n`);
    renameSync(at("b.txt"), at("b2.txt"));
    write("c2.txt", `c\n${TEN}mine\n`);
    write("d.txt", `d\n${TEN}mine\n`);
    const done = await undo();
    expect(list()).toEqual({
      "a.txt": `a\n${TEN}mine\n`,
      "b2.txt": `b\n${TEN}mine\n`,
      "c.txt": `c\n${TEN}mine\n`,
      "d.txt": `d\n${TEN}mine\n`,
    });
    expect(lstatSync(at("d.txt")).mode & 0o777).toBe(0o644);
    expect(done.merged).toEqual(["a.txt", "b2.txt"]);
  });

  it("refuses where both touched the same lines, lists them and changes nothing", async () => {
    write("lines.txt", TEN);
    write("kept.txt", "1\n");
    write("deleted.txt", "1\n");
    write("data.bin", Buffer.from([0, 1]));
    const undo = await after(() => {
      for (const name of ["lines.txt", "kept.txt", "deleted.txt"]) write(name, "by the turn\n");
      write("made.txt", "by the turn\n");
      write("data.bin", Buffer.from([0, 2]));
    });
    write("lines.txt", "by hand\n");
    write("made.txt", "by hand\n");
    write("data.bin", Buffer.from([0, 3]));
    rmSync(at("deleted.txt"));
    const before = list();
    const error = (await undo().catch((thrown: unknown) => thrown)) as ConflictError;
    expect(error.toJSON()).toMatchObject({
      kind: "conflict",
      conflicts: [
        { path: "data.bin", why: "content" },
        { path: "deleted.txt", why: "deleted" },
        { path: "lines.txt", why: "content" },
        { path: "made.txt", why: "created" },
      ],
    });
    expect(list()).toEqual(before);
  });

  it("gives up what was done since when it is told to discard, and keeps both when told to merge", async () => {
    write("lines.txt", "1\n");
    write("deleted.txt", "1\n");
    const turn = (): void => {
      write("lines.txt", "2\n");
      write("deleted.txt", "2\n");
      write("made.txt", "2\n");
    };
    const person = (): void => {
      write("lines.txt", "3\n");
      rmSync(at("deleted.txt"));
      write("made.txt", "3\n");
      write("mine.txt", "3\n");
    };
    const discard = await after(turn);
    person();
    const done = await discard({ onConflict: "discard" });
    expect(list()).toEqual({ "lines.txt": "1\n", "deleted.txt": "1\n", "mine.txt": "3\n" });
    expect(done.conflicts.map(({ path }) => path)).toEqual(["deleted.txt", "lines.txt", "made.txt"]);
    const back = await workspace.restore(done.undo);
    expect(back.changes).not.toEqual([]);
    expect(list()).toEqual({ "lines.txt": "3\n", "made.txt": "3\n", "mine.txt": "3\n" });

    for (const name of ["made.txt", "mine.txt"]) rmSync(at(name));
    write("lines.txt", "1\n");
    write("deleted.txt", "1\n");
    const merge = await after(turn);
    person();
    await merge({ onConflict: "merge" });
    expect(list()).toEqual({
      "lines.txt": "<<<<<<< since the turn\n3\n=======\n1\n>>>>>>> before the turn\n",
      "made.txt": "3\n",
      "mine.txt": "3\n",
    });
  });

  it("takes back folders, empty ones too, and does not put a folder where a person has made a file", async () => {
    mkdirSync(at("empty"));
    write("docs/page.md", "page\n");
    mkdirSync(at("open"), { mode: 0o755 });
    const undo = await after(() => {
      rmSync(at("empty"), { recursive: true });
      rmSync(at("docs"), { recursive: true });
      mkdirSync(at("made/empty"), { recursive: true });
      chmodSync(at("open"), 0o700);
    });
    write("docs", "by hand\n");
    const error = (await undo().catch((thrown: unknown) => thrown)) as ConflictError;
    expect(error).toMatchObject({ kind: "conflict", conflicts: [{ path: "docs", why: "replaced" }] });
    const done = await undo({ onConflict: "merge" });
    expect(done.conflicts).toEqual([{ path: "docs", why: "replaced" }]);
    expect(list()).toEqual({ docs: "by hand\n" });
    expect([existsSync(at("empty")), existsSync(at("made"))]).toEqual([true, false]);
    expect(lstatSync(at("open")).mode & 0o777).toBe(0o755);
    await undo({ onConflict: "discard" });
    expect(list()).toEqual({ "docs/page.md": "page\n" });
  });

  it("moves HEAD and the index back and keeps what was staged since", async () => {
    repository();
    const undo = await after(() => {
      write("turn.txt", "by the turn\n");
      git("add", "-A");
      git("commit", "-qm", "by the turn");
    });
    write("mine.txt", "by hand\n");
    git("add", "mine.txt");
    const made = git("rev-parse", "HEAD");
    await undo();
    expect(git("log", "--format=%s")).toBe("first\n");
    expect(git("status", "--porcelain")).toBe("A  mine.txt\n");
    expect(git("cat-file", "-t", made.trim())).toBe("commit\n");
    expect(git("fsck", "--no-dangling")).toBe("");
  });

  it("leaves the repository alone where the turn did, and refuses where both committed", async () => {
    repository();
    const edited = await after(() => write("first.txt", "by the turn\n"));
    write("mine.txt", "by hand\n");
    git("add", "mine.txt");
    git("commit", "-qm", "mine");
    await edited();
    expect(git("log", "--format=%s")).toBe("mine\nfirst\n");
    expect(git("status", "--porcelain")).toBe("");

    const committed = await after(() => {
      write("turn.txt", "by the turn\n");
      git("add", "-A");
      git("commit", "-qm", "by the turn");
    });
    git("commit", "-qm", "mine too", "--allow-empty");
    expect(await committed().catch((thrown: unknown) => thrown)).toMatchObject({
      kind: "conflict",
      conflicts: [{ path: ".git/HEAD", why: "git-head" }],
    });
    await committed({ onConflict: "merge" });
    expect(git("log", "--format=%s")).toBe("mine too\nby the turn\nmine\nfirst\n");
    expect(git("status", "--porcelain")).toBe(" D turn.txt\n");
    write("turn.txt", "by the turn\n");
    await committed({ onConflict: "discard" });
    expect(git("log", "--format=%s")).toBe("mine\nfirst\n");
    expect(git("status", "--porcelain")).toBe("");
  });
});

/** What takes back what the work did, whatever is done in between. */
async function after(work: () => void): Promise<(options?: TakeBackOptions) => Promise<TakenBack>> {
  const before = await workspace.snapshot();
  work();
  const now = await workspace.snapshot();
  return async (options = {}) => await workspace.takeBack({ before: before.id, after: now.id }, options);
}

function at(path: string): string {
  return join(directory, path);
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

function repository(): void {
  write("first.txt", "first\n");
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A Person");
  git("config", "user.email", "person@example.com");
  git("add", "-A");
  git("commit", "-qm", "first");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}

function list(): Record<string, string> {
  const output = execFileSync("find", [".", "-not", "-type", "d", "-not", "-path", "./.git/*"], { cwd: directory });
  const names = output.toString().trim().split("\n").filter(Boolean);
  const shown = names.map((name) => {
    const path = join(directory, name);
    return [name.slice(2), lstatSync(path).isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, "utf8")];
  });
  return Object.fromEntries(shown) as Record<string, string>;
}
