import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inspectFolder } from "./inspect-folder.ts";
import { openTrustStore } from "./trust-store.ts";

let base: string;
let folder: string;
const env = (): Record<string, string> => ({ HOME: join(base, "home") });

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "skein-trust-")));
  folder = join(base, "above", "folder");
  await mkdir(folder, { recursive: true });
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function write(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), typeof content === "string" ? content : JSON.stringify(content));
}

const inspect = () => inspectFolder(folder, { env: env() });
const hash = async (): Promise<string> => (await inspect()).hash;

/** A folder that names programs in every way that can be told. */
async function configure(): Promise<void> {
  await write("above/folder/.mcp.json", {
    mcpServers: { one: { command: "node", args: ["./tools/server.js"] }, two: { command: "npm", args: ["run", "x"] } },
  });
  await write("above/folder/.claude/settings.json", {
    hooks: { Stop: [{ hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/scripts/stop.sh --quick' }] }] },
    extraKnownMarketplaces: { mine: { source: { source: "directory", path: "./market" } } },
  });
  await write("above/folder/tools/server.js", "1");
  await write("above/folder/scripts/stop.sh", "1");
  await write("above/folder/package.json", "{}");
  await write("above/folder/market/.claude-plugin/marketplace.json", "{}");
  await write("above/folder/market/plugins/p/hooks/hooks.json", "{}");
  await write("above/folder/.claude/commands/go.md", "---\ndescription: d\n---\n!`sh scripts/go.sh`\n");
  await write("above/folder/scripts/go.sh", "1");
}

describe("what a folder would execute", () => {
  test("is nothing where nothing is configured, and a folder's own .claude that is empty does not count", async () => {
    await mkdir(join(folder, ".claude"));
    await write("above/folder/package.json", { scripts: { test: "touch x" } });
    expect(await inspect()).toMatchObject({ directory: folder, files: [], programs: [] });
  });

  test.each([
    ["above/folder/.mcp.json", "a tool server"],
    ["above/folder/.claude/settings.json", "settings"],
    ["above/folder/.claude/settings.local.json", "local settings"],
    ["above/folder/.claude/commands/go.md", "a command"],
    ["above/folder/.claude/agents/a.md", "an agent"],
    ["above/folder/.claude/skills/s/scripts/run.sh", "a script of a skill"],
    ["above/folder/.claude/hooks/check.sh", "a script of a hook"],
    ["above/folder/.claude/skills/worktrees/SKILL.md", "a skill that is called like what is left out"],
    ["above/folder/.claude/something-new.json", "what a later CLI may load"],
    ["above/.mcp.json", "a tool server of the folder above"],
    ["above/.claude/settings.local.json", "settings of the folder above"],
    ["above/folder/tools/server.js", "a program that a tool server is"],
    ["above/folder/scripts/stop.sh", "a program that a hook runs"],
    ["above/folder/scripts/go.sh", "a program that a command runs"],
    ["above/folder/package.json", "what npm runs"],
    ["above/folder/market/plugins/p/hooks/hooks.json", "a plugin"],
  ])("changes with %s: %s", async (path) => {
    await configure();
    const before = await hash();
    await write(path, "changed");
    const after = await inspect();
    expect(after.hash).not.toBe(before);
    expect(after.files).toContain(join(base, path));
  });

  test("does not change with other files, nor with the user's own configuration", async () => {
    await configure();
    const before = await hash();
    await write("above/folder/src/index.js", "1");
    await write("above/folder/.claude/worktrees/w/file", "1");
    await write("home/.claude/settings.json", { apiKeyHelper: "x" });
    expect(await hash()).toBe(before);
    expect((await inspectFolder(join(base, "home"), { env: env() })).files).toEqual([]);
  });

  test("follows links to what they lead to, and round in circles only once", async () => {
    await write("elsewhere/skill/SKILL.md", "1");
    await mkdir(join(folder, ".claude/skills"), { recursive: true });
    await symlink(join(base, "elsewhere/skill"), join(folder, ".claude/skills/linked"));
    await symlink(folder, join(folder, ".claude/round"));
    // What is left out by its name is not left out where another name leads to it.
    await symlink("skills", join(folder, ".claude/worktrees"));
    const before = await hash();
    await write("elsewhere/skill/SKILL.md", "2");
    expect(await hash()).not.toBe(before);
  });

  test("does not wait for a pipe that stands where a file should", async () => {
    await promisify(execFile)("mkfifo", [join(folder, ".mcp.json")]);
    expect(await inspect()).toMatchObject({ files: [] });
  });

  test("is also what a linked worktree takes from its main checkout", async () => {
    const git = (...args: readonly string[]) => promisify(execFile)("git", ["-C", join(base, "main"), ...args]);
    await mkdir(join(base, "main"));
    await git("init", "--quiet");
    const author = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    await git(...author, "commit", "--quiet", "--allow-empty", "--message", "x");
    await git("worktree", "add", "--quiet", join(base, "linked"));
    await write("main/.claude/settings.local.json", { apiKeyHelper: "touch x" });
    expect(await inspectFolder(join(base, "linked"), { env: env() })).toMatchObject({
      files: [join(base, "main/.claude/settings.local.json")],
      programs: [{ what: "apiKeyHelper", runs: "touch x" }],
    });
  });

  test("is told whole: commands, addresses, variables and rules, and what cannot be read as JSON", async () => {
    await write("above/folder/.mcp.json", {
      mcpServers: {
        local: { command: "sh", args: ["-c", "a\nb"], env: { LD_PRELOAD: "x.so" } },
        web: { type: "http", url: "https://example.org/", headersHelper: "h.sh" },
      },
    });
    await write("above/folder/.claude/settings.json", {
      hooks: { Stop: [{ matcher: "", hooks: [{ type: "command", command: "stop" }] }] },
      someLaterHelper: "later",
      env: { BASH_ENV: "/tmp/x" },
      permissions: { allow: ["Bash"], deny: ["Read"] },
      model: "sonnet",
    });
    await write("above/folder/.claude/settings.local.json", "{ not json");
    const { programs } = await inspect();
    expect(programs.map(({ what, runs }) => [what, runs])).toEqual([
      ["mcpServers local", "LD_PRELOAD=x.so sh -c a\nb"],
      ["mcpServers web", "https://example.org/ headersHelper: h.sh"],
      ["hooks Stop", "stop"],
      ["someLaterHelper", "later"],
      ["env BASH_ENV", "/tmp/x"],
      ["permissions allow", "Bash"],
      ["not JSON", "{ not json"],
    ]);
  });
});

describe("a trust store", () => {
  test("trusts a folder as it is, by its real path, until it changes or the trust is taken back", async () => {
    const store = openTrustStore(join(base, "store"));
    await configure();
    expect(await store.isTrusted(await inspect())).toBe(false);
    await store.trust(await inspect());
    await symlink(folder, join(base, "link"));
    expect(await store.isTrusted(await inspectFolder(join(base, "link"), { env: env() }))).toBe(true);
    expect(await store.list()).toMatchObject([{ directory: folder, hash: await hash() }]);

    await write("above/folder/scripts/stop.sh", "2");
    expect(await store.isTrusted(await inspect())).toBe(false);
    await write("above/folder/scripts/stop.sh", "1");
    expect(await store.isTrusted(await inspect())).toBe(true);
    expect([await store.revoke(join(base, "link")), await store.revoke(folder)]).toEqual([true, false]);
    expect(await store.isTrusted(await inspect())).toBe(false);
  });

  test("that lies in the folder itself is worth nothing: whoever works there could write it", async () => {
    const store = openTrustStore(join(folder, "home/trusted-folders"));
    await configure();
    await store.trust(await inspect());
    expect(await store.isTrusted(await inspect())).toBe(false);
  });

  test("takes a damaged or misplaced entry for none", async () => {
    const store = openTrustStore(join(base, "store"));
    await configure();
    const { directory } = await store.trust(await inspect());
    const other = { ...(await inspect()), directory: `${directory}-other` };
    expect(await store.isTrusted(other)).toBe(false);
    await rm(join(base, "store"), { recursive: true });
    await writeFile(join(base, "store"), "");
    expect(await store.isTrusted(await inspect())).toBe(false);
    expect(await store.list()).toEqual([]);
  });
});
