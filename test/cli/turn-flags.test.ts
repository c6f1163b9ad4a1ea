import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "./support/in-process.ts";
import { readEnvelope } from "./support/skein.ts";

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  await mkdir(join(folder, "app/taken"), { recursive: true });
  await mkdir(join(folder, "settings/.claude"), { recursive: true });
  await writeFile(join(folder, "settings/.claude/settings.json"), '{"apiKeyHelper":"touch x"}');
  await writeFile(join(folder, "plain.txt"), "no JSON");
  await writeFile(join(folder, "list.json"), "[1]");
  await writeFile(join(folder, "broken.json"), '{"a": }');
  await symlink(join(folder, "plain.txt"), join(folder, "link"));
  await symlink(folder, join(folder, "app/out"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  run: ["run", "say ok"],
  explore: ["explore", "--prompt", "say ok"],
  "turn-loop": ["turn-loop", "say ok"],
  bootstrap: ["bootstrap", "say ok"],
};

/** What is wrong, its kind, the flag that the error names; `$` is the folder of the tests. */
const WRONG: readonly (readonly [kind: string, target: string, ...words: string[]])[] = [
  ["usage", "--setting-sources", "--setting-sources", "user,projekt"],
  ["usage", "--setting-sources", "--setting-sources", ""],
  ["filesystem", "--mcp-config", "--mcp-config", "$/nowhere.json"],
  ["parse", "--mcp-config", "--mcp-config", "$/broken.json"],
  ["parse", "--mcp-config", "--mcp-config", "$/plain.txt"],
  ["parse", "--mcp-config", "--mcp-config", "{}"],
  ["parse", "--mcp-config", "--mcp-config", '{"mcpServers":[]}'],
  ["parse", "--mcp-config", "--mcp-config", '{"mcpServers":{"a":{"cmd":"x"}}}'],
  ["filesystem", "--agents", "--agents", "$/nowhere.json"],
  ["parse", "--agents", "--agents", "{"],
  ["parse", "--agents", "--agents", "$/list.json"],
  ["parse", "--agents", "--agents", '{"a":{"description":"d","prompt":"p","tool":["Read"]}}'],
  ["filesystem", "--add-dir", "--add-dir", "$/nowhere"],
  ["filesystem", "--add-dir", "--add-dir", "$/plain.txt"],
  ["usage", "--effort", "--effort", "extreme"],
  ["usage", "--max-thinking-tokens", "--max-thinking-tokens", "-1"],
  ["usage", "--max-thinking-tokens", "--max-thinking-tokens", "many"],
  ["usage", "--fallback-model", "--model", "sonnet", "--fallback-model", "opus,sonnet"],
  ["usage", "--fallback-model", "--fallback-model", "opus,,haiku"],
  ["filesystem", "--json-schema", "--json-schema", "$/nowhere.json"],
  ["parse", "--json-schema", "--json-schema", "$/broken.json"],
  ["parse", "--json-schema", "--json-schema", "[]"],
  ["parse", "--json-schema", "--json-schema", '{"type":"array"}'],
  ["usage", "--tools", "--tools", "Bash(git:*)"],
  ["usage", "--tools", "--tools", "Read,bash"],
  ["usage", "--env", "--env", "SKEIN_NOT_SET_ANYWHERE"],
  ["usage", "--env", "--env", `=${SECRET}`],
  ["usage", "--env", "--env", SECRET],
  ["usage", "--env", "--env", `1A=${SECRET}`],
  ["cli_not_found", "--cli-path", "--cli-path", "$/nowhere"],
  ["cli_not_found", "--cli-path", "--cli-path", "$/plain.txt"],
  ["usage", "--retries", "--retries", "-1"],
  ["usage", "--retries", "--retries", "1.5"],
  ["usage", "--allow-domain", "--allow-domain", "https://pypi.org/simple"],
  ["usage", "--permission-mode", "--allow-domain", "pypi.org", "--permission-mode", "bypassPermissions"],
  ["filesystem", "--mount", "--mount", "$/nowhere"],
  ["filesystem", "--mount", "--mount", "$/plain.txt:taken"],
  ["usage", "--mount", "--mount", "$/plain.txt:../x"],
  ["usage", "--mount", "--mount", "$/plain.txt:out/x"],
  ["policy", "--mount", "--mount", "$/link"],
  ["usage", "--mount", "--mount", "$/plain.txt:a", "--mount", "$/list.json:a/b"],
  ["usage", "--setting-sources", "--isolated", "--setting-sources", "user"],
  ["usage", "--reveal", "--isolated", "--reveal", "GH_TOKEN"],
  ["usage", "--allow-worktrees", "--isolated", "--allow-worktrees"],
  ["usage", "--env", "--isolated", "--env", "HOME=/root"],
];

/** The commands share one reader of the flags: one shows every mistake, the others one of each kind. */
const inCommands = Object.entries(COMMANDS).flatMap(([name, command]) =>
  WRONG.filter(([kind], index) => name === "run" || WRONG.findIndex(([other]) => other === kind) === index).map(
    (wrong) => ({ name, command, wrong }),
  ),
);

describe("what is wrong with a flag is told with its name before anything is opened", () => {
  it.each(inCommands)("$name: $wrong", async ({ command, wrong: [kind, target, ...words] }) => {
    const argv = [...command, "--cwd", join(folder, "app"), ...words.map((word) => word.replaceAll("$", () => folder))];
    const { code, stdout, stderr } = await runInProcess([...argv, "--output-format", "json"]);
    expect(readEnvelope(stdout)).toMatchObject({ error: { kind, target, hint: expect.stringMatching(/\w{3}/u) } });
    expect([code, `${stdout}${stderr}`.includes(SECRET)]).toEqual([1, false]);
  });

  it.each([
    ["run", "--resume", "run", "x", "--isolated", "--resume", "abc"],
    ["run", "--no-record", "run", "x", "--undo-on-failure", "--no-record"],
    ["run", "--resume", "run", "x", "--undo-on-failure", "--resume", "abc"],
    ["explore", "--fresh", "explore", "--prompt", "x", "--reuse", "--fresh"],
    ["explore", "--n", "explore", "--prompt", "x", "--reuse", "--n", "2"],
    ["explore", "--from", "explore", "--prompt", "x", "--mount", "plain.txt", "--from", "@"],
  ])("%s refuses what cannot be combined, and names %s", async (_, target, ...words) => {
    const { stdout } = await runInProcess([...words, "--output-format", "json"]);
    expect(readEnvelope(stdout)).toMatchObject({ error: { kind: "usage", target } });
  });

  it("the hint names what to leave out, as it was typed", async () => {
    const { stdout } = await runInProcess(["run", "x", "--undo-on-failure", "--no-record", "--output-format", "json"]);
    expect(readEnvelope(stdout)).toMatchObject({ error: { hint: "Leave out --undo-on-failure or --no-record" } });
  });

  it.each(Object.entries(COMMANDS))(
    "%s does not load what a folder would run before a person trusts it",
    async (_, command) => {
      const argv = [...command, "--cwd", join(folder, "settings"), "--setting-sources", "project"];
      const { stdout } = await runInProcess([...argv, "--output-format", "json"]);
      expect(readEnvelope(stdout)).toMatchObject({
        error: {
          kind: "untrusted_folder",
          hint: expect.stringMatching(/skein trust$/u),
          executes: [{ what: "apiKeyHelper" }],
        },
      });
    },
  );
});
