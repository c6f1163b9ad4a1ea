import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { drain, type SkeinEvent } from "../core/index.ts";
import { systemClock } from "../core/internal.ts";
import { defineScenario } from "../offline/index.ts";
import { createFakeClock, startOfflineAgent } from "../testing/index.ts";
import { ClaudeSDKClient } from "./claude-sdk-client.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import { ProcessManager } from "./processes/process-manager.ts";
import { conversation, query, queryStream } from "./query.ts";

const scenario = defineScenario({
  name: "client tests",
  rules: [
    { when: { prompt: "^Say (.+)" }, steps: [{ say: "{{1}}" }] },
    { when: { prompt: "^Fail" }, steps: [{ fail: { type: "http", status: 400 } }] },
    {
      when: { prompt: "^Write (.+)" },
      steps: [{ call: { tool: "Write", input: { file_path: "{{cwd}}/{{1}}", content: "new" } } }, { say: "written" }],
    },
    {
      when: { prompt: "^Hang" },
      steps: [
        { call: { tool: "Bash", input: { command: "touch hanging; tail -f /dev/null", description: "Hang" } } },
        { say: "unreachable" },
      ],
    },
    {
      when: { prompt: "^Slowly" },
      steps: [{ fail: { type: "drip", tokensPerSecond: 30 } }, { say: "word ".repeat(30) }],
    },
  ],
});

describe("a client", () => {
  test("runs many turns in one process and one session", async () => {
    await using started = await startClient();
    const { client, processes, agent } = started;
    const texts = [];
    for (const word of ["one", "two", "three"]) texts.push((await client.ask(`Say ${word}`)).text);
    expect(texts).toEqual(["one", "two", "three"]);
    expect(processes.processes()).toHaveLength(1);
    expect(agent.requests.at(-1)?.messages.filter(({ role }) => role === "assistant")).toHaveLength(2);
    expect(client.statistics()).toMatchObject({ turns: 3, errors: 0 });
    expect(client.statistics().costUsd).toBeGreaterThan(0);
  });

  test("ends a response at its result, and tells the session", async () => {
    await using started = await startClient();
    await started.client.query("Say hello");
    const types: SkeinEvent["type"][] = [];
    for await (const event of started.client.receiveResponse()) types.push(event.type);
    expect(types[0]).toBe("turn-start");
    expect(types.at(-1)).toBe("turn-end");
    expect(started.client.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("interrupts a turn, and goes on in the same process", async () => {
    await using started = await startClient();
    const { client, agent, processes } = started;
    await client.query("Hang");
    const response = drain(client.receiveResponse());
    await vi.waitFor(() => readFile(join(agent.cwd, "hanging")), 20_000);
    const [{ pid } = {}] = processes.processes();
    await client.interrupt();
    expect((await response).error).toMatchObject({ kind: "cancelled" });
    expect(await client.ask("Say still here")).toMatchObject({ text: "still here", isError: false });
    expect(processes.processes()).toMatchObject([{ pid }]);
  });

  test("stops a turn whose reader left, and does not take its rest for the next one's", async () => {
    await using started = await startClient();
    const { client } = started;
    await client.query("Slowly");
    for await (const event of client.receiveResponse()) if (event.type === "text-delta") break;
    expect(await client.ask("Say next")).toMatchObject({ text: "next", isError: false });
    expect(started.processes.processes()).toHaveLength(1);
  });

  test("takes a prompt while a turn runs", async () => {
    await using started = await startClient();
    const { client } = started;
    await client.query("Slowly");
    const first = client.receiveResponse();
    await first.next();
    await client.query("Say second");
    const answers = [(await drain(first)).text.trim().split(" ").length, (await drain(client.receiveResponse())).text];
    expect(answers).toEqual([30, "second"]);
  });

  test("changes model and permission mode while it runs", async () => {
    await using started = await startClient({ permissionMode: "default" });
    const { client, agent } = started;
    expect(await client.ask("Write a.txt")).toMatchObject({ permissionDenials: [{ tool: "Write" }] });
    await client.setPermissionMode("acceptEdits");
    await client.setModel("claude-opus-5-5");
    expect(await client.ask("Write b.txt")).toMatchObject({ permissionDenials: [] });
    expect(await readFile(join(agent.cwd, "b.txt"), "utf8")).toBe("new");
    expect(agent.requests.at(-1)?.model).toBe("claude-opus-5-5");
  });

  test("goes on after the conversation was compacted", async () => {
    await using started = await startClient();
    const { client } = started;
    await client.ask("Say one");
    await client.query("/compact");
    const statuses: string[] = [];
    for await (const event of client.receiveResponse()) if (event.type === "status") statuses.push(event.status);
    expect(statuses).toContain("compact_boundary");
    expect(await client.ask("Say two")).toMatchObject({ text: "two", isError: false });
  });

  test("tells of the context and of tool servers", async () => {
    await using started = await startClient();
    await started.client.ask("Say hello");
    expect((await started.client.contextUsage()).totalTokens).toBeGreaterThan(0);
    expect(await started.client.mcpStatus()).toEqual([]);
  });

  test("goes on with the session when its process was killed", async () => {
    await using started = await startClient();
    const { client, processes } = started;
    await client.ask("Say one");
    const { sessionId } = client;
    await client.query("Hang");
    const response = drain(client.receiveResponse());
    await vi.waitFor(() => readFile(join(started.agent.cwd, "hanging")), 20_000);
    process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
    const killed = await response;
    expect(killed.error).toMatchObject({ name: "ProcessError", kind: "process", signal: "SIGKILL" });
    expect(killed.usage.outputTokens).toBeGreaterThan(1);
    expect(await client.ask("Say two")).toMatchObject({ text: "two", sessionId });
  });

  test("counts a failed turn, and is still of use", async () => {
    await using started = await startClient();
    expect((await started.client.ask("Fail")).error).toMatchObject({ kind: "invalid_request" });
    expect(await started.client.ask("Say fine")).toMatchObject({ text: "fine" });
    expect(started.client.statistics()).toMatchObject({ turns: 2, errors: 1 });
  });

  test("counts a turn whose reader left, with what it cost", async () => {
    await using started = await startClient();
    const { client, agent } = started;
    const { costUsd } = await client.ask("Say one");
    await client.query("Hang");
    for await (const event of client.receiveResponse()) if (event.type === "tool-start") break;
    const counted = client.statistics();
    expect(counted).toMatchObject({ turns: 2, errors: 1 });
    expect(counted.costUsd).toBeGreaterThan(costUsd);

    const poor = new ClaudeSDKClient({ ...agent.options, maxConversationCostUsd: 0.000_001 }, started);
    await poor.query("Hang");
    for await (const event of poor.receiveResponse()) if (event.type === "tool-start") break;
    agent.forget();
    expect((await poor.ask("Say two")).error).toMatchObject({ kind: "budget" });
    expect(agent.requests).toEqual([]);
    await poor.disconnect();
  });

  test("can be disconnected while a process that takes its session up is coming up", async () => {
    await using started = await startClient();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", note);
    await started.client.ask("Say hello");
    for (let time = 0; time < 3; time += 1) {
      await started.client.disconnect();
      await started.client.connect();
      const reading = drain(started.client.receiveMessages());
      await started.client.disconnect();
      await reading;
    }
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect(started.processes.processes()).toEqual([]);
  });

  test("ends who reads its messages with a process that had to be ended, and goes on in another", async () => {
    const clock = createFakeClock();
    await using started = await startClient({ idleTimeoutMs: 5000, graceMs: 200 }, clock);
    const { client, processes } = started;
    await client.connect();
    const kinds: (string | undefined)[] = [];
    let isStopped = false;
    const [first] = processes.processes();
    const reading = (async () => {
      for await (const event of client.receiveMessages()) {
        if (event.type === "text-delta") isStopped = process.kill(first?.pid ?? 0, "SIGSTOP");
        if (event.type === "turn-end") kinds.push(event.result.error?.kind);
      }
    })();
    await client.query("Slowly");
    await vi.waitFor(() => expect(isStopped).toBe(true), 20_000);
    await vi.waitFor(() => {
      clock.advance(1000);
      expect(kinds).toEqual(["timeout"]);
    }, 20_000);
    await reading;
    expect(await client.ask("Say next")).toMatchObject({ text: "next" });
    expect(processes.processes()).toHaveLength(1);
  });

  test("leaves no process behind", async () => {
    const started = await startClient();
    await started.client.ask("Say hello");
    await started.client.disconnect();
    expect(started.processes.processes()).toEqual([]);
    await started[Symbol.asyncDispose]();
  });

  test("says so when it is used before it is connected, or read twice at once", async () => {
    await using started = await startClient();
    const { client } = started;
    await expect(client.interrupt()).rejects.toMatchObject({ kind: "usage" });
    await expect(client.query(" ")).rejects.toMatchObject({ kind: "usage" });
    await client.query("Say hello");
    const first = client.receiveResponse();
    await first.next();
    await expect(client.receiveResponse().next()).rejects.toMatchObject({ kind: "usage" });
    await drain(first);
  });
});

describe("the functions", () => {
  test("query gives a result, queryStream its events", async () => {
    await using agent = await startOfflineAgent(scenario);
    expect(await query("Say hello", agent.options)).toMatchObject({ text: "hello" });
    expect(await drain(queryStream("Say again", agent.options))).toMatchObject({ text: "again" });
  });

  test("conversation runs prompts in one session, and stops at the first that fails", async () => {
    await using agent = await startOfflineAgent(scenario);
    const result = await drain(conversation(["Say one", "Say two", "Fail", "Say three"], agent.options));
    expect(result.results.map(({ text, isError }) => (isError ? "failed" : text))).toEqual(["one", "two", "failed"]);
    expect(result).toMatchObject({ isError: true });
  });
});

async function startClient(options: ClaudeOptions = {}, clock = systemClock) {
  const agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"], ...options });
  const processes = new ProcessManager(join(agent.home, "processes"));
  const client = new ClaudeSDKClient(agent.options, { processes, clock });
  return {
    agent,
    processes,
    client,
    async [Symbol.asyncDispose](): Promise<void> {
      await client.disconnect();
      await processes[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}
