import { appendFile, chown, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SkeinError } from "../core/index.ts";
import { ClaudeEngine, inspectFolder, openTrustStore } from "../engine/index.ts";
import { configOptions, configureEngine, configuredPolicy } from "./configured-engine.ts";
import { findConfigFolder } from "./find-config-folder.ts";
import { inspectConfig, loadConfig, type Configuration } from "./load-config.ts";
import { loadPlugins } from "./load-plugins.ts";
import { readConfigFile } from "./read-config-file.ts";

let workspace: string;
let home: string;

beforeEach(async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "skein-config-")));
  [workspace, home] = [join(base, "workspace"), join(base, "home")];
  await mkdir(workspace);
  await mkdir(home);
  vi.stubEnv("SKEIN_HOME", home);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dirname(home), { recursive: true, force: true });
});

async function write(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
}

const ours = (config: object): Promise<void> => write(join(workspace, "skein.config.json"), config);
const mine = (config: object): Promise<void> => write(join(home, "skein.config.json"), config);
const trust = async (): Promise<void> => void (await openTrustStore().trust(await inspectFolder(workspace)));
const inspect = (env: Record<string, string> = {}): Promise<Configuration> => inspectConfig({ workspace, env });
const load = (): Promise<Configuration> => loadConfig({ workspace, env: {} });

/** What holds beside the defaults, with its source. */
const held = ({ values }: Configuration): object =>
  Object.fromEntries(
    values.filter(({ source }) => source !== "default").map(({ key, value, source }) => [key, [value, source]]),
  );
const heldBack = (found: Configuration): readonly string[] => found.heldBack.map(({ key }) => key);

const LOG = `import { prefix } from "./lib/prefix.mjs";
export function createPlugin({ name = "log" }) { return { name: prefix + name }; }
`;

describe("a configuration", () => {
  it("takes each value from the first that has it: variable, workspace, user, default", async () => {
    await mine({
      model: "user",
      fallbackModel: "user",
      permissions: { mode: "plan", disallowedTools: ["A"] },
      budget: { maxCostUsd: 9 },
    });
    await ours({ model: "workspace", fallbackModel: "workspace", permissions: { disallowedTools: ["B", "A"] } });
    await trust();
    const env = {
      SKEIN_MODEL: "variable",
      SKEIN_DISALLOWED_TOOLS: "C, Bash(git log, git diff)",
      SKEIN_RETRIES: "2",
      SKEIN_REVEAL: "",
    };
    const found = await inspect(env);
    expect(held(found)).toEqual({
      model: ["variable", "environment"],
      fallbackModel: ["workspace", "workspace"],
      "permissions.mode": ["plan", "user"],
      "permissions.disallowedTools": [["A", "B", "C", "Bash(git log, git diff)"], "environment"],
      "budget.maxCostUsd": [9, "user"],
      "resilience.retry.maxRetries": [2, "environment"],
    });
    const place = (key: string): unknown => found.values.find((value) => value.key === key)?.place;
    expect([place("model"), place("fallbackModel"), place("permissions.mode"), place("budget.maxResponses")]).toEqual([
      "SKEIN_MODEL",
      `${workspace}/skein.config.json:1`,
      `${home}/skein.config.json:1`,
      undefined,
    ]);
    expect(configOptions(found)).toEqual({
      model: "variable",
      fallbackModel: "workspace",
      permissionMode: "plan",
      disallowedTools: ["A", "B", "C", "Bash(git log, git diff)"],
      maxCostUsd: 9,
    });
  });

  it.each([
    [{ SKEIN_MAX_COST_USD: "abc" }, 'SKEIN_MAX_COST_USD must be a number, not "abc"'],
    [{ SKEIN_MAX_RESPONSES: "1.5" }, "SKEIN_MAX_RESPONSES must be a whole number, not 1.5"],
    [{ SKEIN_TIMEOUT: "-1" }, "SKEIN_TIMEOUT must be a number above 0, not -1"],
    [{ SKEIN_ISOLATED: "maybe" }, 'SKEIN_ISOLATED must be true or false, not "maybe"'],
    [{ SKEIN_PERMISSION_MODE: "Plan" }, /^SKEIN_PERMISSION_MODE must be one of default, .*, not "Plan"$/u],
    [{ SKEIN_ALLOW_DOMAIN: "https://a.org" }, /^SKEIN_ALLOW_DOMAIN\[0\]: a domain is/u],
  ])("says what is wrong with a variable: %j", async (env, message) => {
    const { mistakes } = await inspect(env);
    expect(mistakes).toMatchObject([{ path: Object.keys(env)[0], message: expect.stringMatching(message) as unknown }]);
    await expect(loadConfig({ workspace, env })).rejects.toMatchObject({ kind: "config", target: Object.keys(env)[0] });
  });

  it("takes only what tightens from a workspace that nobody trusts, and all once somebody does", async () => {
    await mine({ budget: { maxCostUsd: 2 }, permissions: { mode: "acceptEdits", allowedTools: ["Read", "Edit"] } });
    const tight = {
      permissions: { mode: "plan", allowedTools: ["Read"], disallowedTools: ["X"] },
      budget: { maxCostUsd: 1, maxResponses: 5 },
      sandbox: { isolated: true },
    };
    await ours(tight);
    expect(heldBack(await inspect())).toEqual([]);
    expect(held(await inspect())).toMatchObject({
      "permissions.mode": ["plan", "workspace"],
      "budget.maxCostUsd": [1, "workspace"],
    });
    await ours({
      model: "dear",
      permissions: { mode: "bypassPermissions", allowedTools: ["Bash"], disallowedTools: ["Y"] },
      sandbox: { isolated: false, domains: ["*"], reveal: ["~/.aws"], allowWorktrees: true },
      budget: {
        maxCostUsd: 3,
        maxResponses: 501,
        maxConversationCostUsd: 1,
        timeoutSeconds: 7201,
        idleTimeoutSeconds: 301,
      },
      resilience: { retry: { maxRetries: 1 } },
      plugins: ["./log.mjs"],
    });
    const found = await inspect();
    expect(heldBack(found)).toEqual([
      "model",
      "permissions.mode",
      "permissions.allowedTools",
      "sandbox.domains",
      "sandbox.reveal",
      "sandbox.allowWorktrees",
      "budget.maxResponses",
      "budget.maxCostUsd",
      "budget.timeoutSeconds",
      "budget.idleTimeoutSeconds",
      "resilience.retry.maxRetries",
      "plugins",
    ]);
    expect(held(found)).toMatchObject({
      "permissions.mode": ["acceptEdits", "user"],
      "permissions.disallowedTools": [["Y"], "workspace"],
      "budget.maxConversationCostUsd": [1, "workspace"],
    });
    expect([found.plugins, found.files[0]?.trust]).toEqual([[], "none"]);
    await trust();
    const trusted = await inspect();
    expect([heldBack(trusted), trusted.files[0]?.trust]).toEqual([[], "trusted"]);
    expect(held(trusted)).toMatchObject({
      "permissions.mode": ["bypassPermissions", "workspace"],
      model: ["dear", "workspace"],
    });
  });

  it("that changed since it was trusted is refused, whichever file of a plugin it is in, until it is trusted again", async () => {
    await ours({ plugins: ["./plugins/log.mjs", { module: "packaged/plugin", options: { name: "two" } }] });
    await write(join(workspace, "plugins/log.mjs"), LOG);
    await write(join(workspace, "plugins/lib/prefix.mjs"), 'export const prefix = "our ";\n');
    const packaged = join(workspace, "node_modules/packaged");
    await write(join(packaged, "package.json"), {
      exports: { "./plugin": { import: "./p.mjs" } },
      dependencies: { needed: "1" },
    });
    await write(
      join(packaged, "p.mjs"),
      'import "needed";\nexport const createPlugin = async (options) => ({ name: options.name });\n',
    );
    await write(join(workspace, "node_modules/needed/package.json"), { main: "i.js" });
    await write(join(workspace, "node_modules/needed/i.js"), "");
    await trust();
    const plugins = await loadPlugins((await load()).plugins);
    expect(plugins.map(({ name }) => name)).toEqual(["our log", "two"]);
    for (const path of [
      "skein.config.json",
      "plugins/log.mjs",
      "plugins/lib/prefix.mjs",
      "node_modules/packaged/p.mjs",
      "node_modules/needed/i.js",
    ]) {
      const before = await load();
      const file = join(workspace, path);
      const text = await readFile(file, "utf8");
      await appendFile(file, "\n");
      await expect(load()).rejects.toMatchObject({ kind: "untrusted_folder", target: workspace });
      // What was read before the change is not loaded after it either.
      await expect(loadPlugins(before.plugins)).rejects.toMatchObject({ kind: "untrusted_folder" });
      await writeFile(file, text);
    }
    await appendFile(join(workspace, "plugins/log.mjs"), "// new\n");
    await trust();
    expect(await loadPlugins((await load()).plugins)).toHaveLength(2);
    // What the CLI would load is another matter.
    await write(join(workspace, ".mcp.json"), {});
    expect((await load()).plugins).toHaveLength(2);
  });

  it("that was taken away since it was trusted is refused, wherever below it somebody works", async () => {
    const deep = join(workspace, "a");
    await mkdir(deep);
    await ours({ sandbox: { isolated: true } });
    await trust();
    const file = join(workspace, "skein.config.json");
    await rm(file);
    expect(await findConfigFolder(deep, { userHome: "/nobody" })).toBe(workspace);
    await expect(load()).rejects.toMatchObject({ kind: "untrusted_folder", target: workspace });
    expect((await inspect()).files[0]).toMatchObject({ isThere: false, trust: "changed" });
    await trust();
    expect(held(await load())).toEqual({});
    expect(await findConfigFolder(deep, { userHome: "/nobody" })).toBeUndefined();
  });

  it("has all in it that its plugins name: by imports and exports of their own package, by addresses, by a folder", async () => {
    await ours({ plugins: ["./plugins/log.mjs"] });
    await write(join(workspace, "package.json"), {
      name: "own",
      imports: { "#private/*": { node: "./lib/*.mjs", default: "./lib/*.mjs" } },
      exports: { "./public": "./lib/public.mjs" },
    });
    const lib = (name: string): string => join(workspace, "lib", name);
    const imported = ["#private/one", "own/public", "../lib/asked.mjs?1"];
    await write(
      join(workspace, "plugins/log.mjs"),
      [
        ...[...imported, pathToFileURL(lib("address.mjs")).href].map((name) => `import ${JSON.stringify(name)};`),
        // The loader of the tests takes no such address, and Node's does.
        '// import "../lib/%65ncoded.mjs";',
        'import { createRequire } from "node:module";',
        'const require = createRequire(import.meta.url);\nrequire("../lib/whole");',
        'export const createPlugin = () => ({ name: "log" });',
      ].join("\n"),
    );
    const modules = ["one.mjs", "public.mjs", "asked.mjs", "encoded.mjs", "address.mjs"];
    for (const name of modules) await write(lib(name), "");
    await write(lib("whole/package.json"), { main: "inner/start" });
    await write(lib("whole/inner/start.js"), "");
    await trust();
    expect(await loadPlugins((await load()).plugins)).toMatchObject([{ name: "log" }]);
    for (const file of [
      ...[...modules, "whole/package.json", "whole/inner/start.js"].map(lib),
      join(workspace, "package.json"),
    ]) {
      const text = await readFile(file, "utf8");
      await appendFile(file, "\n");
      await expect(load()).rejects.toMatchObject({ kind: "untrusted_folder" });
      await writeFile(file, text);
    }
    expect((await load()).files[0]?.trust).toBe("trusted");
  });

  it.runIf(process.getuid?.() === 0)("of a stranger is none for what lies below it", async () => {
    const deep = join(workspace, "a");
    await mkdir(deep);
    await ours({ budget: { maxResponses: 1 } });
    const file = join(workspace, "skein.config.json");
    await chown(file, 12_345, 12_345);
    expect(await findConfigFolder(deep, { userHome: "/nobody" })).toBeUndefined();
    expect(await findConfigFolder(workspace, { userHome: "/nobody" })).toBe(workspace);
    await chown(deep, 12_345, 12_345);
    expect(await findConfigFolder(deep, { userHome: "/nobody" })).toBe(workspace);
  });

  it.each([
    ["./none.mjs", "there is no such module"],
    ["../outside.mjs", "there is no such module"],
    ["./link.mjs", "there is no such module"],
    ["absent-package", "there is no such module"],
    ["./empty.mjs", "it exports no function createPlugin"],
    ["./throws.mjs", "not today"],
    ["./nameless.mjs", "its createPlugin gave no plugin: name:"],
    ["./hookless.mjs", "its createPlugin gave no plugin: onMessage:"],
  ])("says what is wrong with the plugin %s", async (module, why) => {
    await write(join(dirname(workspace), "outside.mjs"), LOG);
    await symlink(join(dirname(workspace), "outside.mjs"), join(workspace, "link.mjs"));
    await write(join(workspace, "empty.mjs"), "");
    await write(join(workspace, "throws.mjs"), 'export function createPlugin() { throw new Error("not today"); }');
    await write(join(workspace, "nameless.mjs"), "export const createPlugin = () => ({});");
    await write(join(workspace, "hookless.mjs"), 'export const createPlugin = () => ({ name: "n", onMessage: 3 });');
    await write(join(workspace, "skein.config.json"), `{\n  "plugins": [\n    ${JSON.stringify(module)}\n  ]\n}`);
    await trust();
    const wrong = await loadPlugins((await load()).plugins).catch((error: unknown) => error as SkeinError);
    expect(wrong).toBeInstanceOf(SkeinError);
    expect((wrong as SkeinError).toJSON()).toMatchObject({
      kind: "config",
      target: join(workspace, "skein.config.json"),
      message: expect.stringContaining(why) as unknown,
      key: "plugins",
      line: 3,
      module,
    });
  });

  it("of the user takes packages that are installed beside it, and none from around it", async () => {
    await mine({ plugins: ["packaged"] });
    const install = async (folder: string): Promise<void> => {
      await write(join(folder, "node_modules/packaged/package.json"), { main: "p.mjs" });
      await write(join(folder, "node_modules/packaged/p.mjs"), 'export const createPlugin = () => ({ name: "p" });');
    };
    await install(dirname(home));
    await expect(loadPlugins((await load()).plugins)).rejects.toMatchObject({
      kind: "config",
      target: join(home, "skein.config.json"),
    });
    await install(home);
    expect(await loadPlugins((await load()).plugins)).toMatchObject([{ name: "p" }]);
  });

  it("is not its own master where the folder of trust lies in the workspace", async () => {
    vi.stubEnv("SKEIN_HOME", join(workspace, "home"));
    await ours({ model: "dear" });
    await trust();
    expect(heldBack(await inspect())).toEqual(["model"]);
  });

  it("lays policy and plugins over an engine, each part only where it is named", async () => {
    expect(configuredPolicy(await load())).toBeUndefined();
    await mine({ resilience: { breaker: {} }, plugins: ["./seen.mjs"] });
    await write(
      join(home, "seen.mjs"),
      'export const createPlugin = () => ({ name: "seen", beforeQuery: () => ({ refuse: "not now" }) });',
    );
    const configuration = await load();
    expect(configuredPolicy(configuration)).toEqual({ retry: { maxRetries: 0 }, breaker: { maxFailures: 5 } });
    expect(configuredPolicy(configuration, 2)).toMatchObject({ retry: { maxRetries: 2 } });
    const none = new ClaudeEngine();
    const engine = await configureEngine(none, configuration);
    expect(await engine.execute("Hello")).toMatchObject({
      isError: true,
      error: { kind: "policy", message: "not now" },
    });
    const again = await configureEngine(none, configuration);
    expect(engine.settingsKey?.({ model: "a" })).toBe(again.settingsKey?.({ model: "a" }));
  });

  it("is looked for upwards, up to the top of the repository and below the person's own folder", async () => {
    const deep = join(workspace, "a/b");
    await mkdir(deep, { recursive: true });
    await ours({});
    const from = (userHome = "/nobody"): Promise<string | undefined> => findConfigFolder(deep, { userHome });
    expect(await from()).toBe(workspace);
    expect(await from(workspace)).toBeUndefined();
    expect(await findConfigFolder(deep, { root: join(workspace, "a"), userHome: "/nobody" })).toBeUndefined();
    await mkdir(join(workspace, "a/.git"));
    expect(await from()).toBeUndefined();
    await write(join(deep, "skein.config.json"), {});
    expect(await from()).toBe(deep);
  });

  it("is complete in the guide, and right", async () => {
    const guide = await readFile("docs/guide/configuration.md", "utf8");
    const [, example = ""] = /```json\n(.*?)```/su.exec(guide) ?? [];
    await write(join(workspace, "skein.config.json"), example);
    const read = await readConfigFile(workspace);
    expect(read?.mistakes).toEqual([]);
    await trust();
    const { values } = await inspect();
    const silent = values.filter(({ source, key }) => source === "default" && !/^(?:alerts|retention)\./u.test(key));
    expect(silent).toEqual([]);
  });
});
