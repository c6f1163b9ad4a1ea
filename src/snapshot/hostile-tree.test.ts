import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../core/internal.ts";
import { createGitSnapshotStore } from "./git-snapshot-store.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-hostile-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a hostile workspace", () => {
  it("has none of its programs run by a capture or a restore", async () => {
    const marker = join(root, "marker");
    const script = join(directory, "run.sh");
    write("run.sh", `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`);
    chmodSync(script, 0o755);
    write(".gitattributes", "* text=auto filter=evil diff=evil merge=evil ident\n");
    write("crlf.txt", "one\r\ntwo $Id$\r\n");
    git("init", "--quiet", "--initial-branch=main");
    commit("one");
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-update"]) {
      symlinkSync(script, join(directory, ".git/hooks", hook));
    }
    for (const setting of [
      `core.fsmonitor=${script}`,
      `core.hooksPath=${join(directory, ".git/hooks")}`,
      `core.sshCommand=${script}`,
      `core.alternateRefsCommand=${script}`,
      `core.editor=${script}`,
      `filter.evil.clean=${script}`,
      `filter.evil.smudge=${script}`,
      `filter.evil.process=${script}`,
      "filter.evil.required=true",
      `diff.evil.command=${script}`,
      `diff.evil.textconv=${script}`,
      `diff.external=${script}`,
      `url.ext::${script}.insteadOf=https://`,
    ]) {
      const [name = "", ...value] = setting.split("=");
      git("config", name, value.join("="));
    }
    writeFileSync(join(directory, ".git/objects/info/alternates"), `${join(root, "nowhere")}\n`);
    const head = git("rev-parse", "HEAD");
    rmSync(marker, { force: true });
    const first = await store.capture(directory);
    write("crlf.txt", "changed\n");
    writeFileSync(join(directory, ".git/HEAD"), head);
    rmSync(join(directory, ".git/index"));
    const second = await store.capture(directory);
    await store.diff(first.id, second.id);
    await store.patch(first.id, second.id);
    expect((await store.restore(first.id, directory)).git).toBe("restored");
    expect(readFileSync(join(directory, "crlf.txt"), "utf8")).toBe("one\r\ntwo $Id$\r\n");
    expect(existsSync(marker)).toBe(false);
  });

  it("has its pipe, socket and links kept apart: listed, or held as links", async () => {
    execFileSync("mkfifo", [join(directory, "pipe"), join(directory, "folder-rules")]);
    mkdirSync(join(directory, "folder"));
    execFileSync("mkfifo", [join(directory, "folder/.gitignore")]);
    write("folder/file", "in a folder whose rules are a pipe");
    symlinkSync("/", join(directory, "everything"));
    symlinkSync("/etc/passwd", join(directory, "passwd"));
    mkdirSync(join(directory, ".GIT"));
    const server = createServer().listen(join(directory, "socket"));
    await once(server, "listening");
    try {
      const { id, leftOut } = await store.capture(directory);
      expect(leftOut).toEqual([
        { path: ".GIT", reason: "reserved-name", sizeBytes: 0 },
        { path: "folder-rules", reason: "special-file", sizeBytes: 0 },
        { path: "folder/.gitignore", reason: "special-file", sizeBytes: 0 },
        { path: "pipe", reason: "special-file", sizeBytes: 0 },
        { path: "socket", reason: "special-file", sizeBytes: 0 },
      ]);
      expect((await store.read(id, "passwd")).toString()).toBe("/etc/passwd");
      expect((await store.read(id, "everything")).toString()).toBe("/");
      expect((await store.read(id, "folder/file")).toString()).toContain("in a folder");
    } finally {
      server.close();
    }
  });

  it("cannot make a restore write through a link that took a folder's place", async () => {
    const outside = join(root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "theirs");
    write("folder/file", "ours");
    write("folder/deep/file", "ours");
    const { id } = await store.capture(directory);
    rmSync(join(directory, "folder"), { recursive: true });
    symlinkSync(outside, join(directory, "folder"));
    const { undo } = await store.restore(id, directory);
    expect(lstatSync(join(directory, "folder")).isDirectory()).toBe(true);
    expect(readFileSync(join(directory, "folder/file"), "utf8")).toBe("ours");
    await store.restore(undo, directory);
    expect(lstatSync(join(directory, "folder")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs");
    expect(existsSync(join(outside, "deep"))).toBe(false);
  });

  it("cannot send Skein to another's repository by its .git", async () => {
    const victim = join(root, "victim");
    mkdirSync(victim);
    execFileSync("git", ["init", "--quiet", victim]);
    const head = readFileSync(join(victim, ".git/HEAD"), "utf8");
    write(".git", `gitdir: ${join(victim, ".git")}\n`);
    write("file", "one");
    expect(await store.capture(directory)).not.toHaveProperty("git");
    rmSync(join(directory, ".git"));
    symlinkSync(join(victim, ".git"), join(directory, ".git"));
    const { id, ...rest } = await store.capture(directory);
    expect(rest).toEqual({ leftOut: [], moved: [] });
    write("file", "two");
    expect((await store.restore(id, directory)).git).toBe("absent");
    expect(readFileSync(join(victim, ".git/HEAD"), "utf8")).toBe(head);
  });

  it("lists what may not be read, as an ordinary user", async (test) => {
    if (process.getuid?.() !== 0) return test.skip("only root can become another user here");
    write("readable", "yes");
    write("secret", "no");
    chmodSync(join(directory, "secret"), 0o000);
    mkdirSync(join(directory, "closed"));
    chmodSync(join(directory, "closed"), 0o000);
    execFileSync("chmod", ["777", root]);
    process.seteuid?.(65534);
    try {
      // All is old by this clock: what was read once, and looks the same, is not read again.
      const clock = { ...systemClock, now: () => systemClock.now() + 10_000 };
      const home = join(root, "home-of-nobody");
      await using theirs = await createGitSnapshotStore({ workspace: directory, home, clock });
      for (const { leftOut } of [await theirs.capture(directory), await theirs.capture(directory)]) {
        expect(leftOut.map(({ path, reason }) => [path, reason])).toEqual([
          ["closed", "unreadable"],
          ["secret", "unreadable"],
        ]);
      }
    } finally {
      process.seteuid?.(0);
    }
  });

  it("is captured all the same when GIT_DIR and the like are set", async () => {
    write("file", "one");
    const elsewhere = join(root, "elsewhere.git");
    process.env["GIT_DIR"] = elsewhere;
    process.env["GIT_INDEX_FILE"] = join(root, "index");
    try {
      const { id } = await store.capture(directory);
      expect((await store.read(id, "file")).toString()).toBe("one");
      expect(existsSync(elsewhere)).toBe(false);
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_INDEX_FILE"];
    }
  });

  it("may change while it is captured, and the snapshot says which files moved", async () => {
    for (let index = 0; index < 300; index += 1) write(`file-${index}`, "x".repeat(1000));
    const busy =
      'const fs = require("node:fs"); for (let n = 0; ; n += 1) { fs.appendFileSync(process.argv[1], "more\\n"); if (n === 9) console.log(n); }';
    const writer = spawn(process.execPath, ["-e", busy, join(directory, "log")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(writer.stdout, "data");
      const { moved } = await store.capture(directory);
      expect(moved).toEqual(["log"]);
    } finally {
      writer.kill("SIGKILL");
      await once(writer, "close");
    }
  });
});

function write(path: string, text: string): void {
  writeFileSync(join(directory, path.includes("/") ? made(path) : path), text);
}

function made(path: string): string {
  mkdirSync(join(directory, path, ".."), { recursive: true });
  return path;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}

function commit(message: string): void {
  git("add", "--all");
  git("-c", "user.name=Ada", "-c", "user.email=ada@localhost", "commit", "--quiet", "--message", message);
}
