import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defineScenario } from "../../offline/index.ts";
import { type MessagesRequest } from "../../offline/internal.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";

const FIRST_ID = "0b5d3c5e-4f0e-4a53-9c55-0a4b6c6f5f11";
const FORK_ID = "6f2f7a0e-2a6c-4d0f-8f43-6c7f4f1f3d22";

const scenario = defineScenario({
  name: "options",
  rules: [
    {
      when: { prompt: "^Write to (?<path>.+)" },
      steps: [{ call: { tool: "Write", input: { file_path: "{{path}}", content: "written\n" } } }, { say: "Written." }],
    },
    {
      when: { prompt: "^Go round and round" },
      steps: [
        { call: { tool: "Read", input: { file_path: "/etc/hostname" } } },
        { call: { tool: "Read", input: { file_path: "/etc/hostname" } } },
        { say: "Dizzy." },
      ],
    },
    { steps: [{ say: "hello" }] },
  ],
});

test("an appended prompt, effort, subagents, removed tools, hooks and a further directory arrive", async () => {
  const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "skein-elsewhere-")));
  const hooked: string[] = [];
  await using agent = await startOfflineAgent(scenario, {
    systemPrompt: { type: "preset", preset: "claude_code", append: "Mind the ducks." },
    effort: "low",
    agents: { ornithologist: { description: "Knows every bird by its song", prompt: "Listen." } },
    disallowedTools: ["Bash"],
    additionalDirectories: [elsewhere],
    sessionId: FIRST_ID,
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (input) => {
              if (input.hook_event_name === "PreToolUse") hooked.push(input.tool_name);
              return { continue: true };
            },
          ],
        },
      ],
    },
  });
  const result = await agent.engine.execute(claudePrompt({ text: `Write to ${elsewhere}/note.txt` }));
  expect(result).toMatchObject({ isError: false, text: "Written.", sessionId: FIRST_ID });
  expect(await readFile(join(elsewhere, "note.txt"), "utf8")).toBe("written\n");
  await rm(elsewhere, { recursive: true });
  expect(hooked).toEqual(["Write"]);
  const request = first(agent.requests);
  expect(systemOf(request)).toMatch(/You are Claude Code.*Mind the ducks\.$/s);
  expect(request["output_config"]).toMatchObject({ effort: "low" });
  expect(JSON.stringify(request)).toContain("Knows every bird by its song");
  expect(toolsOf(request)).toContain("Write");
  expect(toolsOf(request)).not.toContain("Bash");
});

test("without a system prompt the model is given Claude Code's own, and `tools: []` leaves it no tools", async () => {
  await using agent = await startOfflineAgent(scenario, { tools: [] });
  await agent.engine.execute(claudePrompt({ text: "Say hello" }));
  expect(systemOf(first(agent.requests))).toContain("# Harness");
  expect(toolsOf(first(agent.requests))).toEqual([]);
});

test("a system prompt of the caller's own stands instead, and maxResponses ends the turn as a budget", async () => {
  await using agent = await startOfflineAgent(scenario, {
    systemPrompt: "You are a duck.",
    thinking: { type: "adaptive", display: "summarized" },
    tools: ["Read"],
    maxResponses: 1,
  });
  const result = await agent.engine.execute(claudePrompt({ text: "Go round and round" }));
  expect(result).toMatchObject({ isError: true, error: { kind: "budget" }, terminalReason: "max_turns" });
  const request = first(agent.requests);
  expect(systemOf(request)).toMatch(/You are a duck\.$/);
  expect(systemOf(request)).not.toContain("# Harness");
  expect(toolsOf(request)).toEqual(["Read"]);
  expect(request["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
});

test("maxCostUsd ends the turn as a budget", async () => {
  await using agent = await startOfflineAgent(scenario, { maxCostUsd: 0.000001 });
  const result = await agent.engine.execute(claudePrompt({ text: "Go round and round" }));
  expect(result).toMatchObject({ isError: true, error: { kind: "budget" }, terminalReason: "budget_exhausted" });
  expect(agent.requests).toHaveLength(1);
});

test("continue goes on with the newest session, and forkSession does so in a copy with the id asked for", async () => {
  await using agent = await startOfflineAgent(scenario, { tools: [] });
  await agent.engine.execute(claudePrompt({ text: "Remember the swans" }), { sessionId: FIRST_ID });
  const fork = { continue: true, forkSession: true, sessionId: FORK_ID };
  const { sessionId } = await agent.engine.execute(claudePrompt({ text: "Say hello" }), fork);
  expect(sessionId).toBe(FORK_ID);
  expect(JSON.stringify(agent.requests.at(-1)?.messages)).toContain("Remember the swans");
});

test("a session that goes on has the system prompt or the agent that it is given now, not the one that it began with", async () => {
  await using agent = await startOfflineAgent(scenario, { tools: [] });
  const ask = async (options: ClaudeOptions): Promise<string> => {
    await agent.engine.execute(claudePrompt({ text: "Say hello" }), options);
    return systemOf(agent.requests.at(-1) ?? first([]));
  };
  const past = { resume: FIRST_ID, forkSession: true };
  expect(await ask({ sessionId: FIRST_ID, systemPrompt: "You are a duck." })).toMatch(/You are a duck\.$/);
  expect(await ask({ ...past, systemPrompt: "You are a goose." })).toMatch(/You are a goose\.$/);
  const heron = { heron: { description: "Waits", prompt: "You are a heron." } };
  expect(await ask({ ...past, agents: heron, agent: "heron" })).toMatch(/You are a heron\.$/);
  // Left out it is Claude Code's own, and no word of the first is left.
  expect(await ask(past)).toContain("# Harness");
  expect(JSON.stringify(agent.requests.at(-1))).not.toMatch(/duck|goose|heron/);
});

function first(requests: readonly MessagesRequest[]): MessagesRequest {
  const [request] = requests;
  if (!request) throw new Error("The model was asked nothing");
  return request;
}

function systemOf({ system }: MessagesRequest): string {
  return typeof system === "string" ? system : (system ?? []).map((block) => String(block["text"])).join("\n");
}

function toolsOf({ tools }: MessagesRequest): readonly string[] {
  // The CLI keeps a place for tools that are offered later.
  return (tools ?? []).map(({ name }) => name).filter((name) => name !== "DeferredToolPlaceholder");
}
