import { execFileSync } from "node:child_process";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/commands/agents/run.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { readEnvelope, runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";

/** Bash is allowed by name, so that machines without a sandbox run these too. */
const BASH = ["--allowed-tools", "Bash"] as const;

const TURN = {
  session_id: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
  model: expect.stringMatching(/^claude-/u) as string,
  usage: expect.any(Object) as object,
  usage_by_model: expect.any(Object) as object,
  cost_usd: expect.any(Number) as number,
  offline: true,
  scenario: "test",
  duration_ms: expect.any(Number) as number,
  duration_api_ms: expect.any(Number) as number,
  subtype: "success",
  uuid: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
  is_error: false,
  stop_reason: "end_turn",
  terminal_reason: "completed",
  attempts: 1,
  permission_denials: [] as unknown[],
  unheld: [] as unknown[],
  git_left_out: null,
  before_state_id: expect.stringMatching(/^[\da-f]{40}$/u) as string,
  state_id: expect.stringMatching(/^[\da-f]{40}$/u) as string,
  transition_id: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
  conversation_id: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
};

async function writeIn(directory: string, path: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), "x\n");
}

describe("run", () => {
  it("lets the real CLI write a file and run Bash, and tells both in the envelope", async () => {
    const cwd = await realpath(await temporaryDirectory());
    const scenario = await scenarioFile([
      { call: { tool: "Write", input: { file_path: "{{cwd}}/one.txt", content: "one\n" } } },
      { call: { tool: "Bash", input: { command: "cat one.txt one.txt > two.txt && echo doubled" } } },
      { say: "It says {{result}}" },
    ]);

    const { code, envelope, stderr } = await runSkeinJson(["run", "Double it", "--offline", scenario, ...BASH], {
      cwd,
    });

    expect(stderr.replace(/^Bash commands need permission.*\n/u, "")).toBe("");
    expect(code).toBe(0);
    expect(envelope).toEqual({
      command: "run",
      exit_code: 0,
      output_format: "json",
      schema_version: "2.0",
      data: {
        ...TURN,
        text: "It says doubled",
        responses: 3,
        tools: [
          { tool: "Write", calls: 1, errors: 0, denied: 0 },
          { tool: "Bash", calls: 1, errors: 0, denied: 0 },
        ],
        files: { created: ["one.txt", "two.txt"], modified: [], deleted: [], renamed: [] },
      },
    });
    expect(run.data.parse(envelope["data"])).toEqual(envelope["data"]);
    expect(await readFile(join(cwd, "two.txt"), "utf8")).toBe("one\none\n");
  });

  it("prints plain lines where there is no terminal, whatever the model and the environment say", async () => {
    const cwd = await realpath(await temporaryDirectory());
    const scenario = await scenarioFile([
      { say: "A \u001b[31mred\u001b[0m word\u0007 and a \u001b]0;title\u0007 window." },
      { call: { tool: "Write", input: { file_path: "{{cwd}}/one.txt", content: "one\n" } } },
      { call: { tool: "Write", input: { file_path: "/nowhere/two.txt", content: "two\n" } } },
      { say: "Done." },
    ]);

    const { code, stdout } = await runSkein(["run", "--offline", scenario, "--cwd", cwd, "--", "Write it"], {
      env: { FORCE_COLOR: "1", CI: "true" },
    });

    expect(code).toBe(0);
    expect(
      stdout
        .replaceAll(cwd, "{cwd}")
        .replace(/^claude-\S+/u, "{model}")
        .replaceAll(/\d+ ms|\d\.\d s/gu, "{time}")
        .replace(/Tokens.*/u, "Tokens   {tokens}")
        .replace(/\$\d+\.\d+/u, "{cost}")
        .replace(/Session.*/u, "Session  {session}")
        .replace(/State {4}[\da-f]{12}$/mu, "State    {state}"),
    ).toBe(`offline model · {cwd} · acceptEdits

A red word and a  window.

  ✓ Write one.txt  {time}
  ⊘ Write /nowhere/two.txt  denied

Done.

  Files    + one.txt
  Tools    Write ×2
  Denied   Write /nowhere/two.txt
  Tokens   {tokens}
  Cost     nothing: offline ({cost} by price list)
  Time     {time} · 3 responses
  Session  {session}
  State    {state}
  Next     skein diff @~1 @ --patch --cwd {cwd}  read the changes
           skein undo --cwd {cwd}                take the turn back
           skein run "…" --continue --cwd {cwd}  go on from here
`);
  });

  it("streams a line for each event, the engine's own message in it, and the envelope last", async () => {
    const scenario = await scenarioFile([{ say: "Hello." }]);
    const { code, stdout } = await runSkein(["run", "Hi", "--offline", scenario, "--output-format", "stream-json"]);
    const lines = stdout.trimEnd().split("\n");
    const events = lines.slice(0, -1).map((line) => JSON.parse(line) as { type: string; raw?: unknown });

    expect(code).toBe(0);
    expect(readEnvelope(lines.at(-1) ?? "")).toMatchObject({
      command: "run",
      exit_code: 0,
      output_format: "stream-json",
      schema_version: "2.0",
      data: { text: "Hello." },
    });
    expect(events.map(({ type }) => type).filter((type) => type !== "status" && type !== "text-delta")).toEqual([
      "turn-start",
      "usage",
      "text",
      "usage",
      "turn-end",
      "state-recorded",
    ]);
    expect(events.filter(({ raw, type }) => raw === undefined && type !== "state-recorded")).toEqual([]);
  });

  it("reads the prompt from standard input, and finds it after a bare --offline", async () => {
    const [fromInput, afterFlag] = await Promise.all([
      runSkeinJson(["run", "-", "--offline"], { stdin: "What can you do?\n" }),
      runSkeinJson(["run", "--offline", "What can you do?"]),
    ]);
    const menu = expect.stringContaining("Build a TODO app") as string;
    expect(fromInput).toMatchObject({ code: 0, envelope: { data: { text: menu } } });
    expect(afterFlag).toMatchObject({ code: 0, envelope: { data: { text: menu } } });
  });

  it("goes on with a session, without a record, and says so", async () => {
    const cwd = await temporaryDirectory();
    const home = { SKEIN_HOME: await temporaryDirectory() };
    const first = await runSkeinJson(["run", "Build a TODO app", "--offline", ...BASH], { cwd, env: home });
    const { session_id: session } = first.envelope["data"] as { session_id: string };
    const second = await runSkeinJson(["run", "Add tests", "--offline", "--resume", session, ...BASH], {
      cwd,
      env: home,
    });
    expect(second).toMatchObject({
      code: 0,
      envelope: {
        data: {
          session_id: session,
          files: { created: ["test/todo.test.js"], modified: [], deleted: [] },
          state_id: null,
          transition_id: null,
          conversation_id: null,
        },
      },
    });
    expect(second.stderr).toContain("The turn is not recorded");
  });

  it("tells what became of the files without a record, and leaves no state behind", async () => {
    const cwd = await temporaryDirectory();
    const env = { SKEIN_HOME: await temporaryDirectory() };
    await Promise.all(["a/changed", "gone", "kept"].map((path) => writeIn(cwd, path)));
    await writeIn(cwd, "node_modules/m/index.js");
    const command = "echo more >> a/changed && rm gone && touch new node_modules/m/new";
    const scenario = await scenarioFile([{ call: { tool: "Bash", input: { command } } }, { say: "Done." }]);
    const ran = await runSkeinJson(["run", "Do it", "--offline", scenario, "--no-record", ...BASH], { cwd, env });
    expect(ran).toMatchObject({
      code: 0,
      envelope: {
        data: {
          text: "Done.",
          files: { created: ["new"], modified: ["a/changed"], deleted: ["gone"], renamed: [] },
          state_id: null,
          unheld: [],
        },
      },
    });
    const log = await runSkeinJson(["log", "--all"], { cwd, env });
    expect(log).toMatchObject({ code: 0, envelope: { data: { states: [] } } });
  });

  it.runIf(process.platform === "linux")(
    "denies Bash where there is no sandbox, names the packages, and fails if nothing else was done",
    async () => {
      const path = await temporaryDirectory();
      await symlink(process.execPath, join(path, "node"));
      await symlink(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(path, "git"));
      const scenario = await scenarioFile([
        { call: { tool: "Bash", input: { command: "node app.js" } } },
        { say: "Not allowed." },
      ]);
      const env = { PATH: path };
      const { code, envelope, stderr } = await runSkeinJson(["run", "Try", "--offline", scenario, "--no-record"], {
        env,
      });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: "Bash commands need permission, because there is no sandbox: install bubblewrap and socat.\n",
      });
      expect(envelope["error"]).toMatchObject({
        kind: "config",
        target: "sandbox",
        message: "Every call was denied or failed, and Bash could not be sandboxed: missing: bubblewrap, socat",
        turn: {
          tools: [{ tool: "Bash", calls: 1, errors: 0, denied: 1 }],
          files: { created: [], modified: [], deleted: [] },
          permission_denials: [{ tool: "Bash", input: { command: "node app.js" } }],
        },
      });
      const useful = await scenarioFile([
        { call: { tool: "Bash", input: { command: "node app.js" } } },
        { call: { tool: "Write", input: { file_path: "{{cwd}}/made.txt", content: "made" } } },
        { say: "Not all of it." },
      ]);
      expect(await runSkeinJson(["run", "Try", "--offline", useful, "--no-record"], { env })).toMatchObject({
        code: 0,
      });
    },
  );

  it("ends a failed turn with its error and what the turn came to", async () => {
    const scenario = await scenarioFile([{ fail: { type: "http", status: 400, message: "No such thing" } }]);
    const { code, envelope } = await runSkeinJson(["run", "Hi", "--offline", scenario]);
    expect(code).toBe(1);
    expect(envelope).toEqual({
      command: "run",
      exit_code: 1,
      output_format: "json",
      schema_version: "2.0",
      error: {
        kind: "invalid_request",
        operation: "run",
        target: null,
        retryable: false,
        message: expect.stringContaining("No such thing") as string,
        hint: null,
        status: 400,
        before_state_id: expect.stringMatching(/^[0-9a-f]{40}$/u) as string,
        turn: expect.objectContaining({ is_error: true, session_id: TURN.session_id }) as object,
      },
    });
  });

  it("names the three ways to credentials before anything is started", async () => {
    const message = "No credentials for Claude were found";
    const hint =
      "Set ANTHROPIC_API_KEY, or log in once with the `claude` command, or run with the offline model: --offline.";
    const [asText, asJson] = await Promise.all([runSkein(["run", "Hi"]), runSkeinJson(["run", "Hi"])]);
    expect(asText).toEqual({ code: 1, stdout: "", stderr: `Error: ${message}\n${hint}\n` });
    expect(asJson).toEqual({
      code: 1,
      envelope: {
        command: "run",
        exit_code: 1,
        output_format: "json",
        schema_version: "2.0",
        error: { kind: "auth", operation: "run", target: null, retryable: false, message, hint },
      },
      stderr: "",
    });
  });
});
