import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { drain, type SkeinEvent } from "../../core/index.ts";
import { defineScenario } from "../../offline/index.ts";
import { createFakeClock, startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";
import { ProcessManager } from "../processes/process-manager.ts";
import type { EngineDependencies } from "../start-up/start-session.ts";

const scenario = defineScenario({
  name: "kept process",
  rules: [
    { when: { prompt: "^Say (.+)" }, steps: [{ say: "{{1}}" }] },
    {
      when: { prompt: "^Talk, then read on" },
      steps: [
        { say: "word ".repeat(8000) },
        { call: { tool: "Read", input: { file_path: "/etc/hostname" } } },
        { call: { tool: "Bash", input: { command: "sleep 0.5; echo second", description: "Wait" } } },
        { say: "unreachable" },
      ],
    },
    {
      when: { prompt: "^Wait for (?<file>.+)" },
      steps: [
        {
          call: {
            tool: "Bash",
            input: { command: "touch waiting; until [ -e {{file}} ]; do sleep 0.05; done", description: "Wait" },
          },
        },
        { say: "waited" },
      ],
    },
    {
      when: { prompt: "^Slowly" },
      steps: [{ fail: { type: "drip", tokensPerSecond: 10 } }, { say: "word ".repeat(40) }],
    },
  ],
});

describe("a limit on the money of a turn", () => {
  test("holds for each turn of a kept process, and not for all of them together", async () => {
    await using started = await startClient({ maxCostUsd: 0.03 });
    const { client } = started;
    const results = [];
    for (const word of ["one", "two", "three", "four", "five", "six"]) results.push(await client.ask(`Say ${word}`));
    expect(results.map(({ error, text }) => error ?? text)).toEqual(["one", "two", "three", "four", "five", "six"]);
    expect(client.statistics().costUsd).toBeGreaterThan(0.03);
    expect(started.processes.processes()).toHaveLength(1);
  });

  test("stops the turn that passes it, and leaves the next one be", async () => {
    await using started = await startClient({ maxCostUsd: 0.03 });
    const { client, agent } = started;
    await client.ask("Say one");
    agent.forget();
    const stopped = await client.ask("Talk, then read on");
    expect(stopped).toMatchObject({ isError: true, error: { kind: "budget", target: "maxCostUsd" } });
    expect(stopped.costUsd).toBeGreaterThan(0.03);
    // The CLI is asked what it cost while it goes on: the next request may have been begun, and none after that.
    expect(agent.requests.length).toBeLessThanOrEqual(2);
    expect(await client.ask("Say two")).toMatchObject({ isError: false, text: "two" });
    expect(started.processes.processes()).toHaveLength(1);
  });
});

describe("a limit on the money of a conversation", () => {
  test("is for all of its turns: the one that passes it is stopped, and those after it are not begun", async () => {
    await using started = await startClient({ maxConversationCostUsd: 0.03 });
    const { client, agent } = started;
    expect(await client.ask("Say one")).toMatchObject({ isError: false });
    const stopped = await client.ask("Talk, then read on");
    const spent = { kind: "budget", target: "maxConversationCostUsd" };
    expect(stopped).toMatchObject({ isError: true, error: spent });
    agent.forget();
    expect(await client.ask("Say two")).toMatchObject({ isError: true, error: spent, costUsd: 0, responses: 0 });
    expect(agent.requests).toEqual([]);
  });

  test("of one turn is that turn's", async () => {
    await using started = await startClient();
    const { agent } = started;
    const prompt = claudePrompt("Say one");
    const spent = { isError: true, error: { kind: "budget" } };
    expect(await agent.engine.execute(prompt, { maxConversationCostUsd: 0.00001 })).toMatchObject(spent);
    agent.forget();
    expect(await agent.engine.execute(prompt, { maxConversationCostUsd: 0 })).toMatchObject(spent);
    expect(agent.requests).toEqual([]);
  });
});

describe("a prompt while a tool runs", () => {
  test("is answered by the turn that took it up, and its own response says so", async () => {
    await using started = await startClient();
    const { client, agent } = started;
    await client.query("Wait for go");
    const first = drain(client.receiveResponse());
    await vi.waitFor(() => readFile(join(agent.cwd, "waiting")), 20_000);
    await client.query("Also this");
    await client.query("And that");
    await writeFile(join(agent.cwd, "go"), "");
    const answered = await first;
    expect(answered).toMatchObject({ text: "waited", isError: false });
    expect(JSON.stringify(agent.requests.at(-1)?.messages)).toContain("And that");
    for (const _ of ["Also this", "And that"]) {
      expect(await drain(client.receiveResponse())).toMatchObject({
        text: "waited",
        isFolded: true,
        costUsd: 0,
        responses: 0,
      });
    }
    expect(await client.ask("Say next")).toMatchObject({ text: "next" });
    expect(client.statistics()).toMatchObject({ turns: 2 });
  });

  test("runs after the turn where that was interrupted first, and is answered for itself", async () => {
    await using started = await startClient();
    const { client, agent } = started;
    await client.query("Wait for ever");
    const first = drain(client.receiveResponse());
    await vi.waitFor(() => readFile(join(agent.cwd, "waiting")), 20_000);
    await client.query("Say later");
    await client.interrupt();
    expect((await first).error).toMatchObject({ kind: "cancelled" });
    expect(await drain(client.receiveResponse())).toMatchObject({ text: "later" });
  });

  test("is lost with the process, and its response says so", async () => {
    await using started = await startClient();
    const { client, agent, processes } = started;
    await client.query("Wait for ever");
    const first = drain(client.receiveResponse());
    await vi.waitFor(() => readFile(join(agent.cwd, "waiting")), 20_000);
    await client.query("Say later");
    process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
    expect((await first).error).toMatchObject({ kind: "process" });
    expect((await drain(client.receiveResponse())).error).toMatchObject({ kind: "process" });
    expect(await client.ask("Say back")).toMatchObject({ text: "back" });
  });
});

describe("prompts at once", () => {
  test("share one process, and each has a response", async () => {
    await using started = await startClient();
    const { client, processes } = started;
    await Promise.all(["one", "two", "three"].map((word) => client.query(`Say ${word}`)));
    const results = [];
    for (let read = 0; read < 3; read += 1) results.push(await drain(client.receiveResponse()));
    expect(processes.processes()).toHaveLength(1);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(results.at(-1)?.text).toBe("three");
    await expect(drain(client.receiveResponse())).rejects.toMatchObject({ kind: "usage" });
  });
});

describe("silence", () => {
  test("is not taken for an end while text is written that nobody asked to see piece by piece", async () => {
    await using started = await startClient({ includePartialMessages: false, idleTimeoutMs: 2500 });
    const messages: string[] = [];
    const { client } = await started.another({ onMessage: (message) => messages.push(typeOf(message)) });
    // A CLI takes a while to start where much else runs.
    await client.connect();
    await client.query("Slowly");
    const types = new Set<SkeinEvent["type"]>();
    let result;
    for await (const event of client.receiveResponse()) {
      types.add(event.type);
      if (event.type === "turn-end") result = event.result;
    }
    expect(result).toMatchObject({ isError: false, text: "word ".repeat(40) });
    expect(types).not.toContain("text-delta");
    expect(messages).not.toContain("stream_event");
  });

  test("between turns is no failed turn", async () => {
    const clock = createFakeClock();
    await using started = await startClient({}, { clock });
    const { client } = started;
    await client.connect();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of client.receiveMessages()) if (event.type === "turn-end") seen.push(event.result.text);
    })();
    await client.query("Say one");
    await vi.waitFor(() => expect(seen).toEqual(["one"]), 20_000);
    for (let minutes = 0; minutes < 10; minutes += 1) clock.advance(60_000);
    await client.query("Say two");
    await vi.waitFor(() => expect(seen).toEqual(["one", "two"]), 20_000);
    await client.disconnect();
    await reading;
    expect(seen).toEqual(["one", "two"]);
  });

  test("is not waited for where nothing was sent", async () => {
    await using started = await startClient();
    const { client } = started;
    await client.connect();
    await expect(drain(client.receiveResponse())).rejects.toMatchObject({ kind: "usage" });
    await client.ask("Say one");
    await expect(drain(client.receiveResponse())).rejects.toMatchObject({ kind: "usage" });
    expect(await client.ask("Say two")).toMatchObject({ text: "two" });
  });
});

function typeOf(message: unknown): string {
  return String((message as { readonly type?: unknown }).type);
}

async function startClient(options: ClaudeOptions = {}, dependencies: EngineDependencies = {}) {
  const agent = await startOfflineAgent(scenario, { allowedTools: ["Bash", "Read"], ...options });
  const processes = new ProcessManager(join(agent.home, "processes"));
  const clients: ClaudeSDKClient[] = [];
  const start = (more: ClaudeOptions = {}): ClaudeSDKClient => {
    const client = new ClaudeSDKClient({ ...agent.options, ...more }, { processes, ...dependencies });
    clients.push(client);
    return client;
  };
  return {
    agent,
    processes,
    client: start(),
    another: async (more: ClaudeOptions) => ({ client: start(more) }),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const client of clients) await client.disconnect();
      await processes[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}
