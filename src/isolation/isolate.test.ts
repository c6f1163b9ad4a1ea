import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeWith } from "../../test/support/require-package.ts";
import { parseClaudeOptions } from "../engine/index.ts";
import { IsolationConfig } from "./isolation-config.ts";
import { NetworkPolicy } from "./network-policy.ts";
import { SandboxConfig } from "./sandbox-config.ts";
import { isolate } from "./isolate.ts";

let folder: string;
let cwd: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skein-iso-")));
  cwd = join(folder, "work");
  await mkdir(cwd);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describeWith(
  [
    { command: "bwrap", package: "bubblewrap" },
    { command: "socat", package: "socat" },
  ],
  "isolated options",
  () => {
    test("say all that confines an agent, in the CLI's own keys, and hold no key but in the environment", async () => {
      const readable = join(folder, "reference");
      const config = IsolationConfig({
        apiKey: "sk-ant-key",
        networkPolicy: NetworkPolicy.withDomains("pypi.org"),
        sandbox: SandboxConfig({ readablePaths: [readable], deniedPaths: [join(cwd, ".env")], maxDiskBytes: 1000 }),
      });
      const isolated = await isolate(config, { cwd, permissionMode: "dontAsk" }, { folder });
      const { options, home } = isolated;
      const [cliHome, root] = [join(home, ".."), join(home, "../..")];
      expect(parseClaudeOptions(options)).toBeTruthy();
      expect(options.sandbox).toMatchObject({
        enabled: true,
        failIfUnavailable: true,
        autoAllowBashIfSandboxed: true,
        allowUnsandboxedCommands: false,
        network: { allowedDomains: ["pypi.org"], strictAllowlist: true },
        filesystem: {
          allowWrite: [home, cwd],
          denyWrite: [join(cliHome, ".claude"), join(cwd, ".envrc"), join(cwd, ".env")],
          allowRead: [home, join(root, "tmp"), readable, cwd],
        },
        credentials: { envVars: expect.arrayContaining([{ name: "ANTHROPIC_API_KEY", mode: "deny" }]) },
      });
      expect(options.sandbox?.filesystem?.denyRead).toEqual(
        expect.arrayContaining(["/home", "/root", "/tmp", "/var", join(cliHome, ".claude"), join(cwd, ".env")]),
      );
      expect(options.sandbox?.filesystem?.denyRead).not.toEqual(expect.arrayContaining(["/usr"]));
      expect(options).toMatchObject({
        settingSources: [],
        strictMcpConfig: true,
        disallowedTools: expect.arrayContaining(["EnterWorktree", "Workflow", "WebSearch"]),
        maxProcesses: 256,
        maxDiskBytes: 1000,
        env: { HOME: cliHome, CLAUDE_CONFIG_DIR: join(cliHome, ".claude"), ANTHROPIC_API_KEY: "sk-ant-key" },
      });
      const { env: _, ...rest } = options;
      expect(JSON.stringify(rest)).not.toContain("sk-ant-key");
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      expect(files.toSorted()).toEqual(["commands.sh", "gh", "git", "holder.json", "npm"]);
      await isolated[Symbol.asyncDispose]();
      expect(await readdir(folder)).toEqual(["work"]);
    });

    test("keep the caller's rules and hooks beside their own", async () => {
      const hook = { hooks: [async () => ({})] };
      const given = {
        cwd,
        settings: { permissions: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"] } },
        disallowedTools: ["Task"],
        hooks: { PreToolUse: [hook] },
      };
      await using isolated = await isolate(IsolationConfig(), given, { folder });
      expect(isolated.options).toMatchObject({
        settings: {
          permissions: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"], blockWritesOutsideWorkingDirectories: true },
        },
        disallowedTools: expect.arrayContaining(["Task", "WebFetch", "WebSearch"]),
        hooks: { PreToolUse: [expect.anything(), hook] },
      });
    });
  },
);

describe("an isolation is refused before anything is made", () => {
  test.runIf(process.platform === "linux")(
    "where a program of the sandbox is missing, with what to install",
    async () => {
      const refused = isolate(IsolationConfig(), { cwd }, { folder, hostEnv: { PATH: folder } });
      await expect(refused).rejects.toMatchObject({
        kind: "config",
        target: "sandbox",
        message: "The sandbox that isolation needs is not available: missing: bubblewrap, socat",
        hint: "To get it, install bubblewrap and socat; SandboxConfig({ enableWeakerNestedSandbox: true }) asks for less",
      });
      expect(await readdir(folder)).toEqual(["work"]);
    },
  );

  test.runIf(process.platform === "linux")("where the machine forbids it, with what to set", async () => {
    for (const name of ["bwrap", "socat"]) {
      await writeFile(join(folder, name), "#!/bin/sh\necho 'setting up uid map: Permission denied' >&2\nexit 1\n");
      await chmod(join(folder, name), 0o755);
    }
    const refused = isolate(IsolationConfig(), { cwd }, { folder: cwd, hostEnv: { PATH: folder } });
    await expect(refused).rejects.toMatchObject({
      kind: "config",
      message: expect.stringContaining("setting up uid map: Permission denied"),
      hint: expect.stringContaining("user namespaces"),
      target: "sandbox",
    });
    expect(await readdir(cwd)).toEqual([]);
  });

  test.each([
    [{ sandbox: { enabled: false } }, "sandbox"],
    [{ settingSources: ["project" as const] }, "settingSources"],
    [{ settings: "settings.json" }, "settings"],
    [{ settings: { sandbox: { enabled: false } } }, "settings.sandbox"],
  ])("with options that would undo it: %j", async (options, target) => {
    await expect(isolate(IsolationConfig(), options, { folder })).rejects.toMatchObject({ kind: "usage", target });
    expect(await readdir(folder)).toEqual(["work"]);
  });
});

test("without the sandbox only the home and the environment are private", async () => {
  const config = IsolationConfig({ sandbox: { enabled: false }, networkPolicy: NetworkPolicy.withDomains("*") });
  await using isolated = await isolate(config, { cwd }, { folder, hostEnv: { PATH: "/nowhere", SECRET: "s" } });
  expect(isolated.options.sandbox).toBeUndefined();
  expect(isolated.options.env).toMatchObject({ HOME: join(isolated.home, ".."), SECRET: undefined });
});
