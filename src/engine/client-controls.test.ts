import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { tool } from "@anthropic-ai/claude-agent-sdk";
import { defineScenario } from "../offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../testing/index.ts";
import { ClaudeSDKClient } from "./claude-sdk-client.ts";
import { toolServer } from "./options/tool-server.ts";

const scenario = defineScenario({
  name: "controls",
  rules: [
    {
      when: { prompt: "^Edit (.+)" },
      steps: [
        { call: { tool: "Edit", input: { file_path: "{{1}}", old_string: "old", new_string: "new" } } },
        { say: "edited" },
      ],
    },
    {
      when: { prompt: "^Wait" },
      steps: [
        {
          call: {
            tool: "Bash",
            input: { command: "node -e 'setInterval(() => {}, 1000)'", description: "Wait", run_in_background: true },
          },
        },
        { say: "waiting" },
      ],
    },
    { steps: [{ say: "hello" }] },
  ],
});

const greeter = () =>
  toolServer({
    name: "greeter",
    tools: [tool("greet", "Greets", { name: z.string() }, async () => ({ content: [{ type: "text", text: "hi" }] }))],
  });

describe("a client in one process", () => {
  let agent: OfflineAgent;
  let client: ClaudeSDKClient;
  const tasks: string[] = [];
  const ended: unknown[] = [];
  beforeAll(async () => {
    agent = await startOfflineAgent(scenario);
    await mkdir(join(agent.home, ".claude"), { recursive: true });
    client = new ClaudeSDKClient({
      ...agent.options,
      settingSources: ["local"],
      allowedTools: ["Bash(node:*)"],
      onMessage: (message) => {
        const { subtype, task_id: id } = message as { readonly subtype?: string; readonly task_id?: string };
        if (subtype === "task_started" && id !== undefined) tasks.push(id);
        if (subtype === "task_notification") ended.push(message);
      },
    });
    await client.ask("Say hello");
  });
  afterAll(async () => {
    await client.disconnect();
    await agent.close();
  });

  test("says what it is and what it offers", async () => {
    expect((await client.supportedModels()).length).toBeGreaterThan(0);
    expect((await client.supportedAgents()).map(({ name }) => name)).toContain("general-purpose");
    expect((await client.supportedCommands()).map(({ name }) => name)).toContain("compact");
    expect(await client.accountInfo()).toMatchObject({ apiKeySource: expect.any(String) });
    expect(await client.initializationResult()).toHaveProperty("models");
    expect(await client.reinitialize()).toHaveProperty("commands");
    expect((await client.usage()).session.total_cost_usd).toBeGreaterThan(0);
    expect(await client.contextUsage({ detail: "summary" })).toHaveProperty("totalTokens");
  });

  test("takes another amount of thinking, and settings over those of files", async () => {
    await client.setThinkingTokens(4000, "summarized");
    await client.applySettings({ outputStyle: "Explanatory" });
    await client.applySettings({ outputStyle: null });
    await client.ask("Say hello");
    expect(agent.requests.at(-1)?.["thinking"]).toMatchObject({ display: "summarized" });
    await client.setThinkingTokens(0);
    await client.ask("Say hello");
    expect(agent.requests.at(-1)?.["thinking"]).not.toMatchObject({ display: "summarized" });
    await client.updateSettings("localSettings", { outputStyle: "Explanatory" });
    expect(await readFile(join(agent.cwd, ".claude", "settings.local.json"), "utf8")).toContain("Explanatory");
  });

  test("gets, loses and connects tool servers", async () => {
    const path = join(agent.cwd, "mcp.mjs");
    await writeFile(path, STDIO_SERVER);
    const plain = { command: process.execPath, args: [path] };
    expect(await client.setMcpServers({ greeter: greeter(), plain })).toMatchObject({
      added: expect.arrayContaining(["greeter", "plain"]),
    });
    await client.ask("Say hello");
    expect(JSON.stringify(agent.requests.at(-1))).toContain("mcp__greeter__greet");
    await client.toggleMcpServer("plain", false);
    expect(await client.mcpStatus()).toMatchObject([{ name: expect.any(String) }, { name: expect.any(String) }]);
    expect((await client.mcpStatus()).find(({ name }) => name === "plain")?.status).toBe("disabled");
    await client.toggleMcpServer("plain", true);
    await client.reconnectMcpServer("plain");
    expect((await client.mcpStatus()).find(({ name }) => name === "plain")?.status).toBe("connected");
    expect(await client.setMcpPermissionMode("plain", "default")).toEqual({});
    expect(await client.setMcpPermissionMode("nobody", null)).toEqual(expect.any(Object));
    await expect(client.readMcpResource("plain", "ui://page")).rejects.toMatchObject({
      kind: "usage",
      target: "ui://page",
    });
    expect(await client.setMcpServers({})).toMatchObject({ removed: expect.arrayContaining(["plain"]) });
  });

  test("reads skills, plugins and output styles anew", async () => {
    const plugin = join(agent.cwd, "plugin");
    await mkdir(join(plugin, ".claude-plugin"), { recursive: true });
    await writeFile(join(plugin, ".claude-plugin", "plugin.json"), JSON.stringify({ name: "ducks" }));
    const { plugins } = await client.reloadPlugins({ addPlugins: [{ type: "local", path: plugin }] });
    expect(plugins.map(({ name }) => name)).toContain("ducks");
    expect(await client.reloadSkills()).toHaveProperty("skills");
    expect(await client.reloadOutputStyles()).toBeTypeOf("object");
  });

  test("reads a file as the agent would, and takes one as read", async () => {
    const path = join(agent.cwd, "note.txt");
    await writeFile(path, "old\n");
    expect(await client.readFile("note.txt")).toMatchObject({ contents: "old\n" });
    expect(await client.readFile("missing.txt")).toBeNull();
    await client.seedReadState(path, (await stat(path)).mtimeMs);
    await client.ask(`Edit ${path}`);
    expect(await readFile(path, "utf8")).toBe("new\n");
  });

  test("ends a task in the background", async () => {
    await client.ask("Wait");
    expect(tasks).toHaveLength(1);
    await client.stopTask(tasks[0] ?? "");
    await client.stopTask("nothing");
    await client.ask("Say hello");
    expect(ended).toMatchObject([{ task_id: tasks[0], status: "stopped" }]);
    expect(await client.backgroundTasks("toolu_nothing")).toBe(false);
  });

  test.each([
    ["limit", () => client.setThinkingTokens(-1)],
    ["display", () => client.setThinkingTokens(1, "loud" as never)],
    ["settings", () => client.applySettings("x" as never)],
    ["model", () => client.applySettings({ model: "opus" })],
    ["sandbox", () => client.applySettings({ sandbox: { enabled: false } })],
    ["source", () => client.updateSettings("policy" as never, {})],
    ["localSettings", () => client.updateSettings("localSettings", { nothing: "x" })],
    ["mode", () => client.setMcpPermissionMode("x", "bypass" as never)],
    ["mcpServers.x.command", () => client.setMcpServers({ x: {} as never })],
    ["nobody", () => client.toggleMcpServer("nobody", true)],
    ["nobody", () => client.reconnectMcpServer("nobody")],
    ["plugins[0].type", () => client.reloadPlugins({ addPlugins: [{ type: "npm" } as never] })],
    ["modifiedAt", () => client.seedReadState("x", Number.NaN)],
  ] as const)("refuses what is wrong with %s, with a kind and a hint", async (target, call) => {
    await expect(call()).rejects.toMatchObject({ target, kind: expect.stringMatching(/^(?:usage|config)$/u) });
  });
});

/** An MCP server as small as can be. */
const STDIO_SERVER = `
import { createInterface } from "node:readline";
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "plain", version: "1" } });
  } else if (method === "tools/list") answer(id, { tools: [] });
  else if (id !== undefined) answer(id, {});
}
`;
