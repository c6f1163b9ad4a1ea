import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathScope } from "./file-access.ts";
import type { PermissionDecision } from "./permission-policy.ts";

let top = "";

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "skein-scope-")));
  for (const folder of ["work/src", "out/deep", "home", "cache", "work-2"])
    mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(top, "out/secret.txt"), "secret");
  symlinkSync(join(top, "out"), join(top, "work/link"));
  symlinkSync(join(top, "out/deep"), join(top, "work/deep"));
  symlinkSync("../out/secret.txt", join(top, "work/secret.txt"));
  symlinkSync(join(top, "out/not-yet.txt"), join(top, "work/dangling.txt"));
  symlinkSync("src", join(top, "work/inner"));
  symlinkSync("loop", join(top, "work/loop"));
  symlinkSync(join(top, "work"), join(top, "linked-work"));
});

afterAll(() => rmSync(top, { recursive: true }));

const decide = async (tool: string, input: Record<string, unknown>, root = "work"): Promise<PermissionDecision> => {
  const policy = pathScope({ root: join(top, root), allow: [join(top, "cache")], home: join(top, "home") });
  return await policy({ tool, input, toolUseId: "1", signal: new AbortController().signal });
};
const write = (path: string, root?: string): Promise<PermissionDecision> =>
  decide("Write", { file_path: path.replace("TOP", top) }, root);

describe("a path scope", () => {
  it.each([
    "a.txt",
    "TOP/work/a.txt",
    "not/yet/there.txt",
    "src/../a.txt",
    "./src/./a.txt",
    "inner/a.txt",
    "..a/b",
    "TOP/work",
    "TOP/linked-work/src/a.txt",
    "TOP/cache/x",
  ])("has no opinion on %s", async (path) => {
    expect(await write(path)).toEqual({ type: "pass" });
  });

  it.each([
    ["/etc/passwd", "/etc/passwd"],
    ["../a.txt", "TOP/a.txt"],
    ["src/../../a.txt", "TOP/a.txt"],
    ["TOP/work-2/a.txt", "TOP/work-2/a.txt"],
    ["~/a.txt", "TOP/home/a.txt"],
    ["~", "TOP/home"],
    ["link/new/a.txt", "TOP/out/new/a.txt"],
    ["secret.txt", "TOP/out/secret.txt"],
    ["dangling.txt", "TOP/out/not-yet.txt"],
    ["deep/../a.txt", "TOP/out/a.txt"],
  ])("denies %s, and names the file it means", async (path, resolved) => {
    const message = `Write was denied: ${resolved.replace("TOP", top)} is outside of ${top}/work, ${top}/cache.`;
    expect(await write(path)).toEqual({ type: "deny", message });
  });

  it("takes a root that is itself a link", async () => {
    expect((await write("TOP/work/a.txt", "linked-work")).type).toBe("pass");
    expect((await write("TOP/out/a.txt", "linked-work")).type).toBe("deny");
  });

  it("fails on a path that cannot be followed, which counts as a denial", async () => {
    await expect(write("loop/a.txt")).rejects.toThrow("Too many symbolic links");
    await expect(write("a\0b")).rejects.toThrow("null bytes");
  });

  it.each([
    ["Read", { file_path: "/etc/passwd" }],
    ["Edit", { file_path: "/etc/passwd" }],
    ["NotebookEdit", { notebook_path: "/etc/a.ipynb" }],
    ["Grep", { pattern: "x", path: "/etc" }],
    ["Glob", { pattern: "*", path: ".." }],
    ["Glob", { pattern: "/etc/*" }],
    ["Glob", { pattern: "../*/secret" }],
    ["Glob", { pattern: "link/*" }],
    ["Glob", { pattern: "~/*" }],
  ])("stops %s with %j", async (tool, input) => {
    expect((await decide(tool, input)).type).toBe("deny");
  });

  it.each([
    ["Grep", { pattern: "../x" }],
    ["Glob", { pattern: "**/*.ts" }],
    ["Glob", { pattern: "src/*.ts", path: "." }],
    ["Bash", { command: "cat /etc/passwd" }],
    ["mcp__files__read", { file_path: "/etc/passwd" }],
    ["constructor", {}],
  ])("has no opinion on %s with %j", async (tool, input) => {
    expect(await decide(tool, input)).toEqual({ type: "pass" });
  });
});
