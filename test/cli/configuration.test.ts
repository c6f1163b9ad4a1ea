import { mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { scenarioFile } from "./support/scenario-file.ts";
import { runSkein, runSkeinJson, spawnSkein, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 60_000 } as const;

/** A folder with a configuration, a home, and commands that are run there. */
async function configured(config: object | string) {
  const cwd = await realpath(await temporaryDirectory());
  const home = await temporaryDirectory();
  const file = join(cwd, "skein.config.json");
  await writeFile(file, typeof config === "string" ? config : JSON.stringify(config, undefined, 2));
  const place = (env: Readonly<Record<string, string>> = {}) => ({
    cwd,
    // The CLI's own patience would outlast every fault here.
    env: { SKEIN_HOME: home, CLAUDE_CODE_MAX_RETRIES: "0", ...env },
  });
  return {
    cwd,
    file,
    place,
    skein: (args: readonly string[], env?: Readonly<Record<string, string>>) => runSkeinJson(args, place(env)),
  };
}

/** Overloaded as often as that, and then not. */
const overloaded = (times: number): Promise<string> =>
  scenarioFile([{ fail: { type: "http", status: 529, times } }, { say: "At last." }]);

const QUICK = { maxRetries: 2, baseDelayMs: 10 };

it("retries that are configured get a run through, and it tells its attempts", SLOW, async () => {
  const { skein, place } = await configured({ resilience: { retry: QUICK } });
  const offline = ["--offline", await overloaded(2)];
  const held = await skein(["run", "Go", ...offline, "--no-record"]);
  expect(held).toMatchObject({ code: 1, envelope: { error: { kind: "overloaded" } } });
  expect(held.stderr).toContain("resilience.retry.maxRetries, resilience.retry.baseDelayMs are held back");
  expect((await skein(["trust"])).code).toBe(0);
  const { stdout } = await runSkein(["run", "Go", ...offline, "--output-format", "stream-json"], place());
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ status }) => status === "retrying")).toHaveLength(2);
  expect(lines.at(-1)).toMatchObject({ exit_code: 0, data: { text: "At last.", attempts: 3, is_error: false } });
  const { envelope } = await skein(["run", "Go", "--offline", await overloaded(2), "--no-record", "--retries", "1"]);
  expect(envelope).toMatchObject({ error: { kind: "overloaded", turn: { attempts: 2 } } });
});

it("the calls of one skein rpc share the bulkhead", SLOW, async () => {
  const { cwd, place } = await configured({});
  const policy = { resilience: { bulkhead: { maxConcurrent: 1, maxWaiting: 0 } } };
  await writeFile(join(place().env.SKEIN_HOME, "skein.config.json"), JSON.stringify(policy));
  const params = { prompt: "Go", offline: await scenarioFile([{ say: "Done." }]), record: false };
  const calls = [cwd, await temporaryDirectory()].map((folder, id) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "run", params: { ...params, cwd: folder } }),
  );
  const { stdout } = await runSkein(["rpc"], { ...place(), stdin: `${calls.join("\n")}\n` });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly id?: number; readonly error?: { readonly data: object } });
  const answers = lines.filter(({ id }) => id !== undefined);
  expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
  expect(answers.flatMap(({ error }) => error?.data ?? [])).toMatchObject([{ kind: "resource_exhausted" }]);
});

it("a program in a configuration's plugin sees the turns, and none that was changed is loaded", SLOW, async () => {
  const { cwd, skein } = await configured({ plugins: [{ module: "./log.mjs", options: { file: "turns.log" } }] });
  const plugin = `import { appendFile } from "node:fs/promises";
import { join } from "node:path";
export const createPlugin = ({ file }) => ({
  name: "log",
  afterQuery: (result, turn) => appendFile(join(import.meta.dirname ?? ".", file), turn.prompt.text + "\\n"),
});
`;
  await writeFile(join(cwd, "log.mjs"), plugin);
  const run = ["run", 'Write {"file_path":"a.txt","content":"a"}', "--offline", "direct"];
  const logged = (): Promise<string> => readFile(join(cwd, "turns.log"), "utf8").catch(() => "");
  expect((await skein(run)).code).toBe(0);
  expect(await logged()).toBe("");
  const { envelope: shown } = await skein(["trust", "--show"]);
  expect(shown).toMatchObject({ data: { files: [join(cwd, "log.mjs"), join(cwd, "skein.config.json")] } });
  await skein(["trust"]);
  expect((await skein(run)).code).toBe(0);
  expect(await logged()).toContain("Write ");
  await writeFile(join(cwd, "log.mjs"), `${plugin}// by an agent\n`);
  expect((await skein(run)).envelope).toMatchObject({ error: { kind: "untrusted_folder", target: cwd } });
});

it(
  "an error of the skein that a plugin imports is told by its kind, though the command is a bundle",
  SLOW,
  async () => {
    const { cwd, skein, place } = await configured({ plugins: [{ module: "./own.mjs" }] });
    await writeFile(join(cwd, "package.json"), '{ "name": "project" }');
    await mkdir(join(cwd, "node_modules"));
    await symlink(resolve("."), join(cwd, "node_modules/skein"));
    const plugin = `import { RateLimitError } from "skein/core";
const fail = () => {
  throw new RateLimitError("Not today", { retryAfterMs: 7, hint: "Come back tomorrow" });
};
export const createPlugin = () => ({ name: "own", beforeQuery: () => new Promise(() => setTimeout(fail)) });
`;
    await writeFile(join(cwd, "own.mjs"), plugin);
    await skein(["trust"]);
    const run = ["run", "Go", "--offline", await scenarioFile([{ say: "Done." }]), "--no-record", "--json"];
    // What nobody catches ends the process.
    const { code, stdout } = await spawnSkein(run, place());
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        kind: "rate_limit",
        message: "Not today",
        retryable: true,
        retry_after_ms: 7,
        hint: "Come back tomorrow",
      },
    });
  },
);

it("an agent changes no configuration of its workspace, trusted or not", SLOW, async () => {
  const { skein, file, place } = await configured({ budget: { maxResponses: 9 } });
  const content = '{"budget":{"maxResponses":90}}';
  const script = [
    `Write ${JSON.stringify({ file_path: file, content })}`,
    `Bash ${JSON.stringify({ command: `rm -f ${file}` })}`,
  ];
  await skein(["run", script.join("\n"), "--offline", "direct", "--no-record"]);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ budget: { maxResponses: 9 } });

  await skein(["trust"]);
  await rm(file);
  expect((await runSkein(["config"], place())).stdout).toContain("gone since it was trusted");
  const { envelope } = await skein(["run", "Go", "--offline", "todo"]);
  expect(envelope).toMatchObject({
    error: { kind: "untrusted_folder", message: `${file} is gone, which a person has trusted` },
  });
});

it(
  "a flag comes before a variable, that before the file; what is wrong is told before anything is begun",
  SLOW,
  async () => {
    const { skein, file } = await configured({ permissions: { mode: "plan" }, model: "claude-sonnet-4-5" });
    await skein(["trust"]);
    const run = ["run", "Go", "--offline", await scenarioFile([{ say: "Hello." }]), "--no-record"];
    const modelOf = async (args: readonly string[], env: Record<string, string> = {}): Promise<unknown> => {
      const { envelope } = await skein([...run, ...args], env);
      return (envelope["data"] as { readonly model?: string } | undefined)?.model;
    };
    expect(await modelOf([])).toBe("claude-sonnet-4-5");
    expect(await modelOf([], { SKEIN_MODEL: "claude-haiku-4-5" })).toBe("claude-haiku-4-5");
    expect(await modelOf(["--model", "claude-opus-4-5"], { SKEIN_MODEL: "claude-haiku-4-5" })).toBe("claude-opus-4-5");
    expect((await skein(run, { SKEIN_MAX_COST_USD: "much" })).envelope).toMatchObject({
      error: {
        kind: "config",
        target: "SKEIN_MAX_COST_USD",
        message: expect.stringContaining('not "much"') as unknown,
      },
    });
    await writeFile(file, '{\n  "modle": "x",\n  "budget": 3\n}');
    for (const args of [
      run,
      ["explore", "--prompt", "Go", "--offline"],
      ["turn-loop", "Go"],
      ["bootstrap", "Go"],
      ["config", "--check"],
    ]) {
      expect((await skein(args)).envelope).toMatchObject({
        error: {
          kind: "config",
          target: file,
          line: 2,
          column: 3,
          key: "modle",
          hint: 'Did you mean "model"?',
          mistakes: [{ key: "modle" }, { key: "budget", line: 3 }],
        },
      });
    }
    expect((await skein(["log"])).code).toBe(0);
  },
);

it("skein config shows what holds, who says so, and what is held back", SLOW, async () => {
  const { skein, place, file, cwd } = await configured({ model: "dear", budget: { maxCostUsd: 1 } });
  const { envelope } = await skein(["config"], { SKEIN_TIMEOUT: "60" });
  const { values, ...others } = envelope["data"] as { readonly values: readonly Record<string, unknown>[] };
  expect(others).toEqual({
    workspace: cwd,
    files: [
      { source: "workspace", path: file, is_there: true, trust: "none" },
      { source: "user", path: expect.any(String) as unknown, is_there: false, trust: "own" },
    ],
    held_back: [{ key: "model", value: "dear", place: `${file}:2`, why: expect.any(String) as unknown }],
    mistakes: [],
  });
  expect(values.filter(({ source }) => source !== "default")).toEqual([
    {
      key: "budget.maxCostUsd",
      flag: "--max-cost-usd",
      variable: "SKEIN_MAX_COST_USD",
      value: 1,
      source: "workspace",
      place: `${file}:4`,
    },
    {
      key: "budget.timeoutSeconds",
      flag: "--timeout",
      variable: "SKEIN_TIMEOUT",
      value: 60,
      source: "environment",
      place: "SKEIN_TIMEOUT",
    },
  ]);
  const { stdout } = await runSkein(["config"], place());
  expect(stdout).toMatch(/budget\.maxCostUsd +1 +workspace:4 +SKEIN_MAX_COST_USD/u);
  expect(stdout).toContain("model = dear");
});
