import { createSdkMcpServer, tool } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineScenario } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { toolServer } from "./tool-server.ts";

const scenario = defineScenario({
  name: "tool servers",
  rules: [
    {
      when: { prompt: "^Add (\\d+)", tools: ["mcp__sums__add"] },
      steps: ({ captures }) => [
        { call: { tool: "mcp__sums__add", input: { left: Number(captures["1"]), right: 1 } } },
        { say: "{{result}}" },
      ],
    },
  ],
});

const add = tool("add", "Adds two numbers", { left: z.number(), right: z.number() }, ({ left, right }) =>
  Promise.resolve({ content: [{ type: "text", text: `sum ${left + right}` }] }),
);

test("turns at once that share tool definitions all have their tools", async () => {
  const sums = toolServer({ name: "sums", tools: [add] });
  await using agent = await startOfflineAgent(scenario, { mcpServers: { sums }, allowedTools: ["mcp__sums"] });
  const results = await Promise.all([1, 2, 3].map((number) => agent.engine.execute(claudePrompt(`Add ${number}`))));
  expect(results.map(({ text }) => text)).toEqual(["sum 2", "sum 3", "sum 4"]);
});

test("one server object for two turns at once is an error, not a turn without tools", async () => {
  const sums = createSdkMcpServer({ name: "sums", tools: [add], alwaysLoad: true });
  await using agent = await startOfflineAgent(scenario, { mcpServers: { sums }, allowedTools: ["mcp__sums"] });
  const [first, second] = await Promise.allSettled(
    [1, 2].map((number) => agent.engine.execute(claudePrompt(`Add ${number}`))),
  );
  expect(first).toMatchObject({ status: "fulfilled", value: { text: "sum 2" } });
  expect(second).toMatchObject({
    status: "rejected",
    reason: { kind: "config", option: "mcpServers", target: "sums" },
  });
});
