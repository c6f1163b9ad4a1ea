import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { query, type SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defined } from "../../core/internal.ts";
import { offlineEnvironment } from "../offline-model.ts";
import { startOfflineServer } from "../server.ts";
import { directScenario } from "./direct.ts";
import type { Scenario } from "./scenario.ts";
import { TODO_PROMPTS, todoScenario } from "./todo.ts";

let home: string;
let cwd: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-todo-"));
  cwd = join(home, "app");
  await mkdir(cwd);
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

test("the CLI builds the app, adds tests and a feature over three resumed turns", async () => {
  const results = await converse(todoScenario, TODO_PROMPTS);

  expect(results.map((result) => result.permission_denials)).toEqual([[], [], []]);
  expect(results.map(textOf)).toEqual([
    expect.stringContaining("Added 1. [ ] Buy milk\n1. [ ] Buy milk"),
    expect.stringContaining("All 7 tests pass."),
    expect.stringContaining("All 10 tests pass."),
  ]);
  const { stdout } = await promisify(execFile)("node", ["--test"], { cwd, env: { PATH: process.env["PATH"] } });
  expect(stdout).toMatch(/^\S+ pass 10$/m);
});

test("the CLI builds a variant of the UI in an empty folder", async () => {
  const [result] = await converse(todoScenario, ["Build the UI with Vue"]);

  expect(result && textOf(result)).toContain("7 of 8 tests pass and 1 fails.");
});

test("the CLI runs the calls that a prompt names", async () => {
  const [first, second] = await converse(directScenario, [
    'Write {"file_path":"{{cwd}}/a.txt","content":"a"}\n& Write {"file_path":"{{cwd}}/b.txt","content":"b"}\nBash {"command":"ls"}',
    'Bash {"command":}',
  ]);

  expect(first && textOf(first)).toBe("a.txt\nb.txt");
  expect(second && textOf(second)).toContain("Line 1 is bad");
});

/** Gives the prompts one after the other, each to a new CLI process that resumes the session. */
async function converse(scenario: Scenario, prompts: readonly string[]): Promise<readonly SDKResultMessage[]> {
  await using server = await startOfflineServer({ scenario });
  const env = { PATH: process.env["PATH"], HOME: home, ...offlineEnvironment(server.url) };
  const results: SDKResultMessage[] = [];
  for (const prompt of prompts) {
    const resume = results.at(-1)?.session_id;
    const messages = query({
      prompt,
      options: {
        cwd,
        env,
        settingSources: [],
        permissionMode: "acceptEdits",
        allowedTools: ["Bash"],
        model: "claude-sonnet-4-5",
        ...defined({ resume }),
      },
    });
    for await (const message of messages) if (message.type === "result") results.push(message);
  }
  return results;
}

function textOf(result: SDKResultMessage): string {
  return result.subtype === "success" ? result.result : result.subtype;
}
