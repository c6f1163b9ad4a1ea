import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { LeftOut, SnapshotStore } from "../snapshot-store.ts";

let root: string;
let directory: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-built-in-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("without any ignore file, a snapshot", () => {
  it("leaves out secrets and what is heavy and easily made again, and lists them", async () => {
    const secret = [".env", ".env.local", "api/.env.production", "id_ed25519", "certs/server.key", "certs/server.pem"];
    const heavy = ["node_modules/x/index.js", "api/.venv/bin/python", "rust/target/debug/app", "java/target/A.class"];
    const caches = ["pkg/__pycache__/a.pyc", ".mypy_cache/x", ".pytest_cache/x", ".ruff_cache/x", ".next/cache/x"];
    const taken = [
      ".env.example",
      "api/.env.sample",
      ".env.local.template",
      "id_ed25519.pub",
      "dist/app.js",
      "build/a.o",
    ];
    const plain = [
      "target/kept.txt",
      ".next/kept.js",
      "rust/Cargo.toml",
      "java/pom.xml",
      "environment.txt",
      "keys/a.txt",
    ];
    for (const path of [...secret, ...heavy, ...caches, ...taken, ...plain]) write(path, path);
    await using store = await open();
    const { id, leftOut } = await store.capture(directory);
    expect(await paths(store, id)).toEqual([...taken, ...plain].toSorted());
    const listed = (reason: LeftOut["reason"]) =>
      leftOut.filter((each) => each.reason === reason).map(({ path }) => path);
    expect(listed("secret")).toEqual(secret.toSorted());
    expect(listed("heavy")).toEqual(
      [
        "node_modules",
        "api/.venv",
        "rust/target",
        "java/target",
        "pkg/__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".next/cache",
      ].toSorted(),
    );
    expect((await store.capture(directory)).leftOut).toEqual(leftOut);
  });

  it("takes them where git tracks them, include names them or a .skeinignore takes them", async () => {
    for (const path of [".env", "api/.env", "node_modules/x", "server.pem", "certs/a.key"]) write(path, path);
    execFileSync("git", ["init", "-q"], { cwd: directory });
    execFileSync("git", ["add", "-f", "api/.env"], { cwd: directory });
    write(".skeinignore", "!server.pem\n");
    await using store = await open();
    const { id, leftOut } = await store.capture(directory, { include: ["node_modules"] });
    expect(await paths(store, id)).toEqual([".skeinignore", "api/.env", "node_modules/x", "server.pem"]);
    const changedAt = expect.any(String) as string;
    expect(leftOut).toEqual([
      { path: ".env", reason: "secret", sizeBytes: 4, changedAt },
      { path: "certs/a.key", reason: "secret", sizeBytes: 11, changedAt },
    ]);
  });

  it("does not list what the user's own ignore files name", async () => {
    for (const path of [".env", "sub/.env", "node_modules/x"]) write(path, path);
    await using store = await open();
    expect((await store.capture(directory)).leftOut.map(({ path }) => path)).toEqual([
      ".env",
      "node_modules",
      "sub/.env",
    ]);
    write(".gitignore", ".env\nnode_modules\n");
    expect((await store.capture(directory)).leftOut).toEqual([]);
    unlinkSync(join(directory, ".gitignore"));
    expect((await store.capture(directory)).leftOut.map(({ path }) => path)).toEqual([
      ".env",
      "node_modules",
      "sub/.env",
    ]);
  });

  it("goes by what is there now: target is left out as long as a Cargo.toml is beside it", async () => {
    write("target/app", "1");
    const captured = async (): Promise<string[]> => {
      // Each in a store of its own too: what is remembered must say the same as what is looked at.
      await using store = await open();
      return await paths(store, (await store.capture(directory)).id);
    };
    await using store = await open();
    const again = async (): Promise<string[]> => await paths(store, (await store.capture(directory)).id);
    expect([await captured(), await again()]).toEqual([["target/app"], ["target/app"]]);
    write("Cargo.toml", "[package]");
    expect([await captured(), await again()]).toEqual([["Cargo.toml"], ["Cargo.toml"]]);
    unlinkSync(join(directory, "Cargo.toml"));
    expect([await captured(), await again()]).toEqual([["target/app"], ["target/app"]]);
  });

  it("leaves them out too where an ignore file is a pipe, and where they are links", async () => {
    write("real.txt", "KEY=1");
    symlinkSync("real.txt", join(directory, ".env"));
    symlinkSync("/tmp", join(directory, "node_modules"));
    execFileSync("mkfifo", [join(directory, ".gitignore")]);
    await using store = await open();
    const { id } = await store.capture(directory);
    expect(await paths(store, id)).toEqual(["real.txt"]);
  });

  it("never has a restore delete them", async () => {
    write("a.txt", "1");
    await using store = await open();
    const { id } = await store.capture(directory);
    write("a.txt", "2");
    for (const path of [".env", "node_modules/x/index.js", "sub/.env", "sub/a.txt"]) write(path, path);
    await store.restore(id, directory);
    expect(readFileSync(join(directory, "a.txt"), "utf8")).toBe("1");
    expect(readFileSync(join(directory, ".env"), "utf8")).toBe(".env");
    expect(existsSync(join(directory, "node_modules/x/index.js"))).toBe(true);
    expect(existsSync(join(directory, "sub/.env"))).toBe(true);
    expect(existsSync(join(directory, "sub/a.txt"))).toBe(false);
  });

  it("are asked again about a name that has become a folder, or a file", async () => {
    await using store = await open();
    write("node_modules", "a file");
    expect(await paths(store, (await store.capture(directory)).id)).toEqual(["node_modules"]);
    rmSync(join(directory, "node_modules"));
    write("node_modules/x.js", "1");
    const { id, leftOut } = await store.capture(directory);
    expect([await paths(store, id), leftOut.map(({ path }) => path)]).toEqual([[], ["node_modules"]]);
    rmSync(join(directory, "node_modules"), { recursive: true });
    write("node_modules", "a file");
    expect(await paths(store, (await store.capture(directory)).id)).toEqual(["node_modules"]);
  });
});

async function open(): Promise<SnapshotStore> {
  return await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

async function paths(store: SnapshotStore, id: string): Promise<string[]> {
  const empty = mkdtempSync(join(root, "empty-"));
  await using other = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  const nothing = await other.capture(empty);
  const made = (await store.diff(nothing.id, id)).filter((change) => change.type === "created");
  return made.filter(({ after }) => after.kind !== "directory").map(({ path }) => path);
}
