import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createGitSnapshotStore } from "./git-snapshot-store.ts";

it("stores a tree as docs/formats/store.md says, readable by any git", async () => {
  const root = mkdtempSync(join(tmpdir(), "skein-format-"));
  try {
    const directory = join(root, "My project");
    const home = join(root, "home");
    mkdirSync(join(directory, "empty"), { recursive: true, mode: 0o755 });
    for (const [name, mode] of [
      ["a", 0o644],
      ["b", 0o644],
      ["run", 0o755],
      ["secret", 0o600],
    ] as const) {
      writeFileSync(join(directory, name), `${name}\n`);
      chmodSync(join(directory, name), mode);
    }
    chmodSync(join(directory, "empty"), 0o755);
    symlinkSync("a", join(directory, "link"));
    await using store = await createGitSnapshotStore({ workspace: directory, home });
    const { id } = await store.capture(directory);
    expect(id).toBe("9143bc988536eaf0b8b49630518598a5be46d5a6");

    const [key = ""] = readdirSync(join(home, "workspaces"));
    expect(key).toMatch(/^My-project-[0-9a-f]{16}$/);
    const file: unknown = JSON.parse(readFileSync(join(home, "workspaces", key, "workspace.json"), "utf8"));
    expect(file).toEqual({
      version: 1,
      path: directory,
      identity: expect.stringMatching(/^\d+-\d+$/) as string,
      createdAt: expect.stringMatching(/Z$/),
    });
    const git = (...args: string[]): string =>
      execFileSync("git", ["--git-dir", join(home, "workspaces", key, "store.git"), ...args], { encoding: "utf8" });
    expect(git("for-each-ref", "--format=%(refname) %(tree) %(parent)")).toBe(`refs/skein/snapshots/${id} ${id} \n`);
    expect(git("ls-tree", "-r", "--format=%(objectmode) %(path)", id)).toBe(
      "100644 files.meta\n100644 files/a\n100644 files/b\n120000 files/link\n100755 files/run\n100644 files/secret\n",
    );
    expect(git("show", `${id}:files.meta`)).toBe("skein-files 1 f644 x755 d755\0empty empty\x00600 secret\0");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
