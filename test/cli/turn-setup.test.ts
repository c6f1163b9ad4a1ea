import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledCliPath } from "../../src/engine/internal.ts";
import { defineScenario, offlineEnvironment } from "../../src/offline/index.ts";
import { startOfflineServer, type MessagesRequest } from "../../src/offline/internal.ts";
import { bash } from "../support/direct-script.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, type TurnIds } from "./support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const OFFLINE = ["--offline", "direct"];
const STATE_ID = /^[\da-f]{40}$/u;

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
    "--system-prompt",
    "You are a duck.",
    "--append-system-prompt",
    "Mind the pond.",
    "--effort",
    "low",
    "--max-thinking-tokens",
    "2048",
    "--model",
    "sonnet",
    "--fallback-model",
    "haiku, opus",
    "--tools",
    "Bash,Read",
    "--agents",
    '{"heron":{"description":"Stands still","prompt":"Stand."}}',
    "--add-dir",
    further,
    "--mcp-config",
    '{"mcpServers":{"pond":{"type":"http","url":"http://127.0.0.1:9/mcp"}}}',
    "--strict-mcp-config",
    "--json-schema",
    '{"type":"object","properties":{"isReady":{"type":"boolean"}},"required":["isReady"]}',
    "--env",
    "PLAIN=shown",
    "--env",
    "MY_TOKEN",
    "--cli-path",
    cli.path,
    "--mount",
    `${mounted}:in/it.txt`,
    "--allowed-tools",
    "Bash",
    "--retries",
    "1",
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
    "--max-thinking-tokens=2048",
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

it("an answer to --json-schema is shown to people, and plain words instead of one are an error", SLOW, async () => {
  const { skein } = await tracedWorkspace();
  const schema = ["--json-schema", '{"type":"object","properties":{"isReady":{"type":"boolean"}}}'];
  const given = await skein("run", "x", "--offline", await scenarioFile([{ output: { isReady: true } }]), ...schema);
  expect(given.stdout).toContain('\n{\n  "isReady": true\n}\n');
  const said = await scenarioFile([{ say: "It is ready." }, { say: "It is." }]);
  const failed = await skein("run", "x", "--offline", said, ...schema, "--undo-on-failure");
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("no answer in the requested shape")]);
  expect(failed.stdout).toContain("Took back");
  expect(failed.stdout).not.toContain("take the turn back");
});

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
  const [first, second] = found["turns"] as readonly Readonly<Record<string, string>>[];
  expect(first?.["before_state_id"]).toMatch(STATE_ID);
  expect([second?.["before_state_id"], found["before_state_id"]]).toEqual([first?.["state_id"], first?.["state_id"]]);
});

it("bootstrap takes back its turn where it fails, and tells the state before it", SLOW, async () => {
  const { cwd, data, error } = await tracedWorkspace();
  await writeFile(join(cwd, "there.txt"), "there");
  const scenario = await scenarioFile([
    { call: { tool: "Write", input: { file_path: `${cwd}/made.txt`, content: "x" } } },
    { fail: { type: "http", status: 400, message: "no" } },
  ]);
  const words = ["bootstrap", "Write", "--offline", scenario, "--limit", "0"];
  const failed = await error(...words, "--undo-on-failure");
  const before = expect.stringMatching(STATE_ID) as unknown;
  expect(failed).toMatchObject({
    kind: "invalid_request",
    turn: { stop_reason: "error", before_state_id: before, state_id: before },
    before_state_id: (failed["turn"] as TurnIds & { readonly before_state_id: string }).before_state_id,
    undone: { files: { deleted: ["made.txt"] } },
  });
  expect(await readdir(cwd)).toEqual(["there.txt"]);
  expect(await error(...words)).not.toHaveProperty("undone");
  expect(await readdir(cwd)).toEqual(["made.txt", "there.txt"]);
  await data("restore", failed["before_state_id"] as string, "--yes");
  expect(await readdir(cwd)).toEqual(["there.txt"]);
});

it("--retries gets a turn through a failure that may pass, and its attempts are told", SLOW, async () => {
  const { cwd, home } = await tracedWorkspace();
  // The CLI's own patience would outlast the fault.
  const place = { cwd, env: { SKEIN_HOME: home, CLAUDE_CODE_MAX_RETRIES: "0" } };
  const words = async (command: string, retries: string): Promise<readonly string[]> => {
    const steps = [{ fail: { type: "http", status: 529, times: 1 } }, { say: "At last." }] as const;
    return [command, "Go", "--offline", await scenarioFile(steps), "--retries", retries];
  };
  const [once, again, loop] = [await words("run", "0"), await words("run", "1"), await words("turn-loop", "1")];
  expect((await runSkeinJson(once, place)).envelope).toMatchObject({
    error: { kind: "overloaded", turn: { attempts: 1 } },
  });
  expect((await runSkeinJson(again, place)).envelope).toMatchObject({ data: { text: "At last.", attempts: 2 } });
  expect((await runSkeinJson(loop, place)).envelope).toMatchObject({
    data: { turns: [{ output: "At last.", attempts: 2, stop_reason: "completed" }] },
  });
});

it(
  "--add-dir with settings asks for trust in each of the folders, and again in the one that has changed",
  SLOW,
  async () => {
    const { cwd, home, data, error } = await tracedWorkspace();
    const further = await realpath(await temporaryDirectory());
    const hook = (name: string) => ({
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `echo ran >> ${join(home, name)}` }] }] },
    });
    const configure = async (folder: string, name: string): Promise<void> => {
      await mkdir(join(folder, ".claude"), { recursive: true });
      await writeFile(join(folder, ".claude/settings.json"), JSON.stringify(hook(name)));
    };
    await configure(cwd, "own");
    await configure(further, "further");
    const words = ["run", "say hi", ...OFFLINE, "--setting-sources", "project", "--add-dir", further];
    expect(await error(...words)).toMatchObject({ kind: "untrusted_folder", target: cwd });
    await data("trust");
    expect(await error(...words)).toMatchObject({ kind: "untrusted_folder", target: further });
    expect(existsSync(join(home, "own"))).toBe(false);
    await data("trust", "--cwd", further);
    expect(await data(...words)).toMatchObject({ text: "hi", is_error: false });
    expect(await readFile(join(home, "own"), "utf8")).toBe("ran\n");
    await configure(further, "changed");
    expect(await error(...words)).toMatchObject({ kind: "untrusted_folder", target: further });
    expect(await readFile(join(home, "own"), "utf8")).toBe("ran\n");
  },
);

it("--reuse takes a turn that another search has run", SLOW, async () => {
  const { data } = await tracedWorkspace();
  const words = ["--prompt", bash("touch made"), ...OFFLINE];
  await data("explore", ...words);
  const again = await data("explore", ...words, "--reward", "test -e made", "--reuse");
  expect(again).toMatchObject({ expansions: 0, branches: [{ is_reused: true }] });
});
