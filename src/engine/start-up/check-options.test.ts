import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorRecord, SkeinError } from "../../core/index.ts";
import { checkOptions } from "./start-session.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-check-"));
  await mkdir(join(folder, "directory"));
  await writeFile(join(folder, "file"), "");
  await writeFile(join(folder, "script.js"), "console.log('2.1.0 (Claude Code)')");
  await writeFile(join(folder, "claude"), "#!/bin/sh\necho '2.1.0 (Claude Code)'\n");
  await writeFile(join(folder, "other"), "#!/bin/sh\necho 'another program 2.1.0'\n");
  for (const name of ["claude", "other"]) await chmod(join(folder, name), 0o755);
});

afterAll(async () => await rm(folder, { recursive: true }));

describe("options that can work are let through", () => {
  test.each<readonly [what: string, options: () => ClaudeOptions]>([
    ["with no options", () => ({})],
    ["in a directory", () => ({ cwd: folder, additionalDirectories: ["directory", "/"] })],
    [
      "with a plugin and a settings file",
      () => ({ cwd: folder, plugins: [{ type: "local", path: "directory" }], settings: "file" }),
    ],
    ["with a CLI by its path", () => ({ cliPath: join(folder, "claude") })],
    ["with a CLI that Node runs", () => ({ cliPath: join(folder, "script.js") })],
    ["with a CLI by its name", () => ({ cliPath: "claude", cwd: "/" })],
  ])("%s", async (_, options) => {
    await expect(refusal(options(), { PATH: `/nowhere:${folder}` })).resolves.toBeUndefined();
  });
});

describe("options that cannot work are refused", () => {
  test("with an option that cannot be", async () => {
    expect(await refusal({ maxResponses: 0 })).toMatchObject({ kind: "config", option: "maxResponses" });
    expect(await refusal({ colour: "red" } as ClaudeOptions)).toMatchObject({ kind: "config", option: "colour" });
  });

  test.runIf(process.getuid?.() === 0)("with bypassPermissions as root, unless the machine is a sandbox", async () => {
    expect(await refusal({ permissionMode: "bypassPermissions" })).toMatchObject({
      kind: "config",
      option: "permissionMode",
      message: "The CLI does not bypass permissions for root",
    });
    expect(await refusal({ permissionMode: "bypassPermissions" }, { IS_SANDBOX: "1" })).toBeUndefined();
  });

  test.each<readonly [options: ClaudeOptions, target: string, message: RegExp]>([
    [{ cwd: "missing" }, "missing", /^The working directory .*missing does not exist$/],
    [{ cwd: "file" }, "file", /file is not a directory$/],
    [
      { cwd: ".", additionalDirectories: ["missing"] },
      "missing",
      /^The directory of additionalDirectories .*missing does not exist$/,
    ],
    [{ cwd: ".", additionalDirectories: ["file"] }, "file", /file is not a directory$/],
    [
      { cwd: ".", plugins: [{ type: "local", path: "missing" }] },
      "missing",
      /^The directory of plugins .*missing does not exist$/,
    ],
    [{ cwd: ".", settings: "missing" }, "missing", /^The file of settings .*missing does not exist$/],
    [{ cwd: ".", settings: "directory" }, "directory", /directory is not a file$/],
  ])("with a path that is not there or is something else: %j", async (options, target, message) => {
    const placed = { ...options, cwd: join(folder, options.cwd ?? "") };
    expect(await refusal(placed)).toMatchObject({
      kind: "filesystem",
      target: join(folder, target),
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
  });

  test.each([
    ["missing", "there is no such file"],
    ["directory", "it is not a file"],
    ["file", "it is not executable"],
    ["other", "it is another program"],
  ])("with a CLI that cannot run: %s", async (name, why) => {
    const cliPath = join(folder, name);
    expect(await refusal({ cliPath })).toEqual({
      name: "ClaudeNotFoundError",
      kind: "cli_not_found",
      message: `The Claude Code CLI was not found at ${cliPath}: ${why}`,
      retryable: false,
      cliPath,
      target: cliPath,
      hint: "Install again without leaving out optional dependencies, or give the path of a `claude` executable.",
    });
  });

  test("with a CLI that no folder of PATH has", async () => {
    expect(await refusal({ cliPath: "claude" }, { PATH: "/nowhere:/elsewhere" })).toMatchObject({
      kind: "cli_not_found",
      message: "The Claude Code CLI was not found at claude: no folder of PATH has it",
    });
  });
});

/** Why options are refused; undefined for those that are let through. */
async function refusal(options: ClaudeOptions, environment: EnvVariables = {}): Promise<ErrorRecord | undefined> {
  return await checkOptions(options, environment).then(
    () => undefined,
    (error: SkeinError) => error.toJSON(),
  );
}
