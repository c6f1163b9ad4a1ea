import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledCliPath } from "../../src/engine/internal.ts";
import { defineScenario, offlineEnvironment } from "../../src/offline/index.ts";
import { startOfflineServer, type MessagesRequest } from "../../src/offline/internal.ts";
import { bash, write } from "../support/direct-script.ts";
import { describeWith } from "../support/require-package.ts";
import { connectMcp, errorOf } from "./support/mcp-client.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];
const OFFLINE = ["--offline", "direct"];

/** A CLI of one's own: it notes its arguments, and is the real one then. */
async function notingCli(): Promise<{ readonly path: string; args(): Promise<string> }> {
  const folder = await temporaryDirectory();
  const [path, notes] = [join(folder, "claude"), join(folder, "args")];
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${notes}'\nexec '${bundledCliPath()}' "$@"\n`);
  await chmod(path, 0o755);
  return { path, args: () => readFile(notes, "utf8") };
}

it("what an agent starts with arrives at the CLI and its model, and no value of --env is repeated", SLOW, async () => {
  const { cwd, home } = await tracedWorkspace();
  const requests: MessagesRequest[] = [];
  const scenario = defineScenario({
    name: "setup",
    rules: [
      {
        steps: [
          { call: { tool: "Bash", input: { command: 'echo "$PLAIN $MY_TOKEN" > seen.txt' } } },
          { output: { isReady: true } },
        ],
      },
    ],
  });
  await using server = await startOfflineServer({ scenario, onRequest: (request) => void requests.push(request) });
  const further = await realpath(await temporaryDirectory());
  const cli = await notingCli();
  const mounted = join(home, "mounted.txt");
  await mkdir(home, { recursive: true });
  await writeFile(mounted, "mounted");
  const secret = "tok-4711-of-this-test-0815";
  const setup = [
    ...["--system-prompt", "You are a duck.", "--append-system-prompt", "Mind the pond.", "--effort", "low"],
    ...[
      "--max-thinking-tokens",
      "2048",
      "--model",
      "sonnet",
      "--fallback-model",
      "haiku, opus",
      "--tools",
      "Bash,Read",
    ],
    ...["--agents", '{"heron":{"description":"Stands still","prompt":"Stand."}}', "--add-dir", further],
    ...[
      "--mcp-config",
      '{"mcpServers":{"pond":{"type":"http","url":"http://127.0.0.1:9/mcp"}}}',
      "--strict-mcp-config",
    ],
    ...["--json-schema", '{"type":"object","properties":{"isReady":{"type":"boolean"}},"required":["isReady"]}'],
    ...["--env", "PLAIN=shown", "--env", "MY_TOKEN", "--cli-path", cli.path, "--mount", `${mounted}:in/it.txt`],
    ...["--allowed-tools", "Bash", "--retries", "1"],
  ];
  const env = { SKEIN_HOME: home, MY_TOKEN: secret, ...offlineEnvironment(server.url) };
  const { code, envelope, stderr } = await runSkeinJson(["run", "Swim", ...setup], { cwd, env });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining(secret)]);
  expect(envelope["data"]).toMatchObject({ structured_output: { isReady: true } });
  expect(JSON.stringify(envelope)).not.toContain(secret);
  expect(await readFile(join(cwd, "seen.txt"), "utf8")).toBe(`shown ${secret}\n`);
  expect(await readFile(join(cwd, "in/it.txt"), "utf8")).toBe("mounted");

  const request = requests.find(({ tools = [] }) => tools.length > 0);
  const system = JSON.stringify(request?.system);
  expect(system).toContain("You are a duck.\\n\\nMind the pond.");
  expect(system).not.toContain("You are an interactive");
  expect(request).toMatchObject({ output_config: { effort: "low" } });
  const tools = (request?.tools ?? []).map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(["Bash", "Read", "StructuredOutput"]));
  expect(tools).not.toContain("Write");
  const args = await cli.args();
  for (const word of [
    "haiku,opus",
    "--max-thinking-tokens\n2048",
    "--strict-mcp-config",
    "http://127.0.0.1:9/mcp",
    further,
  ]) {
    expect(args).toContain(word);
  }
  const { stdout } = await (await tracedWorkspace({ home })).skein("log", "--cwd", cwd, "--output-format", "json");
  expect(stdout).not.toContain(secret);
});

it(
  "an answer that never has the shape of --json-schema is a typed error, and --undo-on-failure takes the turn back",
  SLOW,
  async () => {
    const { cwd, error, data } = await tracedWorkspace();
    const scenario = await scenarioFile([
      { call: { tool: "Write", input: { file_path: `${cwd}/made.txt`, content: "x" } } },
      ...Array.from({ length: 8 }, () => ({ output: { isReady: "perhaps" } })),
    ]);
    const schema = '{"type":"object","properties":{"isReady":{"type":"boolean"}},"required":["isReady"]}';
    const failed = await error("run", "Write", "--offline", scenario, "--json-schema", schema, "--undo-on-failure");
    expect(failed).toMatchObject({
      kind: "parse",
      turn: { is_error: true, files: { created: ["made.txt"] } },
      undone: { files: { deleted: ["made.txt"] }, dry_run: false },
    });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
    const { way_back: back } = failed["undone"] as { readonly way_back: string };
    await data("restore", back);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  },
);

it("turn-loop takes back the turn that failed, and no earlier one", SLOW, async () => {
  const { cwd, error } = await tracedWorkspace();
  const path = join(await temporaryDirectory(), "scenario.json");
  const made = (name: string) => ({ call: { tool: "Write", input: { file_path: `${cwd}/${name}`, content: "x" } } });
  const fail = { fail: { type: "http", status: 400, message: "no" } };
  await writeFile(
    path,
    JSON.stringify({
      name: "twice",
      rules: [
        { when: { prompt: "^first" }, steps: [made("first.txt"), { say: "done" }] },
        { when: { prompt: "^second" }, steps: [made("second.txt"), fail] },
      ],
    }),
  );
  const words = ["turn-loop", "first", "--continuation-prompt", "second", "--max-turns", "2", "--offline", path];
  const found = await error(...words, "--undo-on-failure");
  expect(found).toMatchObject({
    turns: [{ stop_reason: "completed" }, { stop_reason: "error" }],
    undone: { files: { deleted: ["second.txt"] } },
  });
  expect([existsSync(join(cwd, "first.txt")), existsSync(join(cwd, "second.txt"))]).toEqual([true, false]);
});

describeWith(PACKAGES, "in the sandbox", () => {
  it(
    "settings of a trusted folder are loaded, and its tools cannot write what they run, nor put another in its place",
    SLOW,
    async () => {
      const { cwd, home, data, error } = await tracedWorkspace();
      const hooked = join(home, "hooked");
      await mkdir(join(cwd, ".claude"), { recursive: true });
      await mkdir(join(cwd, "scripts"));
      await writeFile(join(cwd, "scripts/hook.sh"), `echo kept >> ${hooked}\n`);
      const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "sh scripts/hook.sh" }] }] };
      await writeFile(
        join(cwd, ".claude/settings.json"),
        JSON.stringify({ hooks, env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } }),
      );
      const prompt = [
        bash("echo evil > scripts/hook.sh"),
        bash("mv scripts away; mkdir scripts; echo evil > scripts/hook.sh"),
        bash("rm -rf scripts/hook.sh .claude; mkdir -p .claude; echo {} > .claude/settings.local.json"),
        bash("echo {} > .mcp.json"),
        write("scripts/hook.sh", "evil"),
        write(".claude/settings.local.json", "{}"),
        write(".mcp.json", "{}"),
        bash("touch fine.txt scripts/other.sh"),
      ].join("\n");
      const settings = ["--setting-sources", "project,local"];
      expect(await error("run", prompt, ...OFFLINE, ...settings)).toMatchObject({ kind: "untrusted_folder" });
      expect(existsSync(hooked)).toBe(false);
      await data("trust");
      const turn = await data("run", prompt, ...OFFLINE, ...settings);
      expect(turn).toMatchObject({
        is_error: false,
        files: { created: ["fine.txt", "scripts/other.sh"], modified: [], deleted: [] },
      });
      expect(await readFile(hooked, "utf8")).toBe("kept\n");
      expect(await readFile(join(cwd, "scripts/hook.sh"), "utf8")).toContain("kept");

      // A state whose settings are others is not gone on from in a branch, whatever the folder has now.
      const { checkpoint } = { checkpoint: (name: string) => data("checkpoint", name) };
      await checkpoint("trusted");
      await writeFile(join(cwd, "scripts/hook.sh"), `echo other >> ${hooked}\n`);
      await data("checkpoint", "other");
      await data("restore", "trusted", "--yes");
      const explore = (from: string) => ["explore", "--prompt", bash("true"), "--from", from, ...OFFLINE, ...settings];
      expect(await error(...explore("other"))).toMatchObject({ kind: "untrusted_folder" });
      expect(await readFile(hooked, "utf8")).toBe("kept\n");
      expect(await data(...explore("trusted"))).toMatchObject({ branches: [{ outcome: "completed" }] });
      expect(await readFile(hooked, "utf8")).toBe("kept\nkept\n");
    },
  );

  it("explore through MCP is isolated as run is, and with --isolated too", SLOW, async () => {
    const { cwd, home, data } = await tracedWorkspace();
    await mkdir(home, { recursive: true });
    await writeFile(join(home, "secret.txt"), "what the file says");
    const prompt = [
      bash(`cat ${home}/secret.txt > stolen.txt; cat ${home}/secret.txt`),
      bash("echo made > made.txt && git status > git.txt"),
    ].join("\n");
    const reward = "test ! -s stolen.txt && test -s made.txt";
    const isolated = { branches: [{ outcome: "completed", reward: { value: 1 } }] };
    const client = await connectMcp({ cwd, home }, "--allow-explore");
    const asked = { prompt: [prompt], reward, offline: "direct" };
    expect(errorOf(await client.callTool({ name: "explore", arguments: asked }))).toMatchObject(isolated);
    for (const field of [
      "setting_sources",
      "mcp_config",
      "agents",
      "env",
      "cli_path",
      "allow_domain",
      "mount",
      "add_dir",
    ]) {
      const answer = errorOf(await client.callTool({ name: "explore", arguments: { ...asked, [field]: ["x"] } }));
      expect(answer).toMatchObject({ kind: "policy", target: field });
    }
    const schema = errorOf(
      await client.callTool({ name: "explore", arguments: { ...asked, json_schema: "/etc/passwd" } }),
    );
    expect(schema).toMatchObject({ kind: "policy", target: "json_schema" });
    const words = ["--prompt", prompt, "--reward", reward, ...OFFLINE, "--isolated"];
    expect(await data("explore", ...words)).toMatchObject(isolated);
  });

  it("--allow-domain opens a host to sandboxed commands without --isolated", SLOW, async () => {
    const { cwd, data } = await tracedWorkspace();
    const reach = (host: string) =>
      `curl -s -o /dev/null -w '%{http_connect} %{http_code}' http://${host}/ >> reached.txt; echo >> reached.txt`;
    await data(
      "run",
      [bash(reach("allowed.invalid")), bash(reach("other.invalid"))].join("\n"),
      ...OFFLINE,
      "--allow-domain",
      "allowed.invalid",
    );
    const [allowed, other] = (await readFile(join(cwd, "reached.txt"), "utf8")).trim().split("\n");
    // The proxy of the sandbox lets the one name through, which nobody has, and refuses the other.
    expect(other).toContain("403");
    expect(allowed).not.toContain("403");
  });
});

it("--reuse takes a turn that another search has run", SLOW, async () => {
  const { data } = await tracedWorkspace();
  const words = ["--prompt", bash("touch made"), ...OFFLINE];
  await data("explore", ...words);
  const again = await data("explore", ...words, "--reward", "test -e made", "--reuse");
  expect(again).toMatchObject({ expansions: 0, branches: [{ is_reused: true }] });
});
