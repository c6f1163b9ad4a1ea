import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeWith } from "../../../test/support/require-package.ts";
import { IsolationConfig, isolate } from "../../isolation/index.ts";
import { installSkills } from "./install-skills.ts";

const SKILL = { name: "greet", description: "How to greet", content: "Say hello." };
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skein-skills-test-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("installed skills", () => {
  test("are a plugin beside those of the caller, and gone with their folder", async () => {
    const given = { type: "local" as const, path: "/given" };
    const installed = await installSkills([SKILL], { plugins: [given] }, folder);
    const path = installed.options.plugins?.[1]?.path ?? "";
    expect(installed.options).toEqual({ plugins: [given, { type: "local", path }], skills: "all" });
    expect(await readFile(join(path, "skills/greet/SKILL.md"), "utf8")).toContain("Say hello.");
    await installed[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
  });

  test("leave nothing behind where one is bad", async () => {
    const bad = { name: "../escape", description: "Out", content: "" };
    await expect(installSkills([bad], {}, folder)).rejects.toMatchObject({ kind: "usage" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("change nothing where there are none", async () => {
    const options = { model: "claude-sonnet-5-5" };
    await using installed = await installSkills([], options, folder);
    expect(installed.options).toBe(options);
  });
});

describeWith(
  [
    { command: "bwrap", package: "bubblewrap" },
    { command: "socat", package: "socat" },
  ],
  "installed skills in isolation",
  () => {
    test("can be read from inside the sandbox", async () => {
      await using installed = await installSkills([SKILL], { cwd: folder });
      await using isolated = await isolate(IsolationConfig(), installed.options);
      const path = installed.options.plugins?.[0]?.path;
      expect(isolated.options.sandbox?.filesystem?.allowRead).toContain(path);
    });
  },
);
