import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query, type SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defined } from "../core/internal.ts";
import { readCassette } from "./cassette/cassette.ts";
import { startRecordingProxy } from "./cassette/record.ts";
import { startReplayServer } from "./cassette/replay.ts";
import { defineScenario, type Scenario } from "./scenarios/scenario.ts";
import { TODO_PROMPTS, todoScenario } from "./scenarios/todo.ts";
import { offlineEnvironment } from "./offline-model.ts";
import { startOfflineServer } from "./server.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-cassette-")));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const noteScenario = defineScenario({
  name: "note",
  rules: [
    {
      when: { prompt: "note" },
      steps: [
        { fail: { type: "drip", tokensPerSecond: 200 } },
        { say: "I write it to {{cwd}}/note.txt and look at it." },
        { call: { tool: "Write", input: { file_path: "{{cwd}}/note.txt", content: "made in {{cwd}}\n" } } },
        { call: { tool: "Bash", input: { command: "pwd; cat {{cwd}}/note.txt", description: "Show it" } } },
        { say: "It says:\n{{result}}" },
      ],
    },
  ],
});

test("a run that was recorded in one directory is replayed in another, by the real CLI with real tools", async () => {
  const [recorded] = await record(noteScenario, ["Write a note"]);
  const { exchanges } = await readCassette(cassettePath());

  await using server = await startReplayServer({ cassettePath: cassettePath() });
  const [replayed] = await converse("elsewhere/deep", server.url, ["Write a note"]);

  const here = join(root, "recorded");
  const there = join(root, "elsewhere/deep");
  expect(exchanges.length).toBe(3);
  expect(recorded).toBe(`It says:\n${here}\nmade in ${here}`);
  expect(replayed).toBe(`It says:\n${there}\nmade in ${there}`);
  expect(await readFile(join(there, "note.txt"), "utf8")).toBe(`made in ${there}\n`);
  expect(server.unmatched).toEqual([]);
});

test("three resumed turns with parallel tools and a test run are replayed", async () => {
  const recorded = await record(todoScenario, TODO_PROMPTS);

  await using server = await startReplayServer({ cassettePath: cassettePath() });
  const replayed = await converse("replayed", server.url, TODO_PROMPTS);

  expect(server.unmatched).toEqual([]);
  expect(replayed).toEqual(recorded);
});

test("a commit that differs in each run, and a sub-agent with an id of its own, are replayed", async () => {
  const commit =
    "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m $PPID; git rev-parse HEAD";
  const agentInput = { description: "Look", prompt: "Look around", subagent_type: "general-purpose" };
  const scenario = defineScenario({
    name: "commit",
    rules: [
      { when: { subagent: true }, steps: [{ say: "Nothing here." }] },
      {
        steps: [
          { call: { tool: "Agent", input: { ...agentInput, run_in_background: false } } },
          { call: { tool: "Bash", input: { command: commit, description: "Commit" } } },
          { call: { tool: "Bash", input: { command: "git cat-file -t {{result}}", description: "Look at it" } } },
          { say: "It is a {{result}}." },
        ],
      },
    ],
  });
  const recorded = await record(scenario, ["Commit"]);

  await using server = await startReplayServer({ cassettePath: cassettePath() });
  const replayed = await converse("replayed", server.url, ["Commit"]);

  expect(recorded).toEqual(["It is a commit."]);
  expect(replayed).toEqual(recorded);
  expect(server.unmatched).toEqual([]);
});

test("a prompt that was not recorded ends in an error that says what differs", async () => {
  await record(noteScenario, ["Write a note"]);

  await using server = await startReplayServer({ cassettePath: cassettePath() });
  const answer = converse("other", server.url, ["Write a letter"]);

  const message = `The cassette ${cassettePath()} has no answer to this POST /v1/messages?beta=true. The nearest is line 2, which first differs at $.messages[0].content[0].text: expected "Write a note", got "Write a letter". Record again if the change is intended.`;
  await expect(answer).rejects.toThrow(`API Error: 400 ${message}`);
  expect(server.unmatched).toEqual([
    {
      method: "POST",
      path: "/v1/messages?beta=true",
      message,
      nearestLine: 2,
      difference: {
        path: "$.messages[0].content[0].text",
        expected: '"Write a note"',
        got: '"Write a letter"',
      },
    },
  ]);
});

function cassettePath(): string {
  return join(root, "run.jsonl");
}

async function record(scenario: Scenario, prompts: readonly string[]): Promise<readonly string[]> {
  await using upstream = await startOfflineServer({ scenario });
  await using proxy = await startRecordingProxy({ upstream: upstream.url, cassettePath: cassettePath() });
  return await converse("recorded", proxy.url, prompts);
}

/** Gives the prompts one after the other, each to a new CLI process that resumes the session; gives the results' texts. */
async function converse(folder: string, url: string, prompts: readonly string[]): Promise<readonly string[]> {
  const cwd = join(root, folder);
  const home = join(root, "homes", folder);
  await mkdir(cwd, { recursive: true });
  await mkdir(home, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: home, ...offlineEnvironment(url) };
  const results: SDKResultMessage[] = [];
  for (const prompt of prompts) {
    const resume = results.at(-1)?.session_id;
    const options = { cwd, env, settingSources: [], permissionMode: "acceptEdits" as const, allowedTools: ["Bash"] };
    const messages = query({ prompt, options: { ...options, ...defined({ resume }) } });
    for await (const message of messages) if (message.type === "result") results.push(message);
  }
  return results.map((result) => (result.subtype === "success" ? result.result : result.subtype));
}
