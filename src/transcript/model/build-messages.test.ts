import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../read/load.ts";
import { analyzeToolPatterns, calculateSessionMetrics, messagesByTool } from "../usage/analyse.ts";
import { usageBySubagent, usageOf } from "../usage/transcript-usage.ts";
import { mainChain } from "./chains.ts";
import type { Transcript } from "./transcript.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-transcript-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function loadRecords(records: readonly unknown[]): Promise<Transcript> {
  files += 1;
  const path = join(folder, `file-${files}.jsonl`);
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return load(path);
}

const at = (second: number): string => `2026-11-15T10:00:${String(second).padStart(2, "0")}.000Z`;
const assistant = (uuid: string, id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "assistant",
  uuid,
  parentUuid: null,
  sessionId: "s",
  timestamp: at(1),
  message: { id, model: "claude-opus-4-20250514", role: "assistant", content: [], ...more },
});
const user = (uuid: string, content: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "user",
  uuid,
  parentUuid: null,
  sessionId: "s",
  timestamp: at(3),
  message: { role: "user", content },
  ...more,
});

describe("a loaded transcript", () => {
  it("has a response over several lines as one message, with the last line's usage", async () => {
    const { messages } = await loadRecords([
      user("p", "do it"),
      assistant("a1", "m", { content: [{ type: "thinking", thinking: "hm" }], usage: { output_tokens: 1 } }),
      assistant("a2", "m", {
        content: [{ type: "tool_use", id: "t", name: "Read", input: { f: 1 } }],
        usage: { output_tokens: 1 },
      }),
      user("r", [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "x" }] }], {
        toolUseResult: "x",
      }),
      assistant("a3", "m", {
        content: [{ type: "text", text: "ok" }],
        stop_reason: "end_turn",
        usage: { output_tokens: 9 },
      }),
    ]);
    expect(messages.map(({ kind, uuids }) => [kind, uuids])).toEqual([
      ["prompt", ["p"]],
      ["answer", ["a1", "a2", "a3"]],
      ["tool-result", ["r"]],
    ]);
    const [, response] = messages;
    expect(response).toMatchObject({ text: "ok", thinking: "hm", stopReason: "end_turn", messageId: "m" });
    expect(response?.usage).toMatchObject({ usage: { outputTokens: 9 }, isFinal: true });
    expect(response?.toolUses).toMatchObject([
      { name: "Read", durationMs: 2_000, result: { text: "x", details: "x" } },
    ]);
  });

  it("tells prompts from what else stands in user records", async () => {
    const { messages } = await loadRecords([
      user("1", "<command-name>/clear</command-name>"),
      user("2", "<local-command-stdout>x</local-command-stdout>"),
      user("3", [{ type: "text", text: "[Request interrupted by user]" }]),
      user("4", "Caveat", { isMeta: true }),
      user("5", "Summary", { isCompactSummary: true }),
      user("6", ["plain", { type: "text", text: "list" }]),
    ]);
    expect(messages.map(({ kind }) => kind)).toEqual([
      "prompt",
      "command-output",
      "interrupt",
      "meta",
      "compact-summary",
      "prompt",
    ]);
    expect(messages.at(-1)?.text).toBe("plain\nlist");
  });

  it("has sub-agents that stand inside the file, and the call with the same prompt", async () => {
    const task = { type: "tool_use", id: "t", name: "Task", input: { prompt: "look around", subagent_type: "scout" } };
    const side = { isSidechain: true };
    const transcript = await loadRecords([
      user("p", "do it"),
      assistant("a", "m1", { content: [task], usage: { output_tokens: 1 } }),
      user("s1", "look around", side),
      { ...assistant("s2", "m2", { content: "seen", usage: { output_tokens: 2 } }), parentUuid: "s1", ...side },
    ]);
    expect(transcript.messages.map(({ uuid }) => uuid)).toEqual(["p", "a"]);
    expect(transcript.subagents).toMatchObject([
      {
        agentId: "s1",
        source: "inline",
        parentToolUseId: "t",
        agentType: "scout",
        messages: [{ uuid: "s1" }, { text: "seen" }],
      },
    ]);
    expect(usageOf(transcript).total).toMatchObject({ messages: 2, lowerBounds: 2, usage: { outputTokens: 3 } });
    expect(usageBySubagent(transcript)).toMatchObject([{ agentId: "s1", messages: 1, usage: { outputTokens: 2 } }]);
  });

  it("has sub-agents that only progress records show, and counts them once where they have a file too", async () => {
    const inner = assistant("i", "sub", { content: "below", usage: { output_tokens: 5 }, stop_reason: "end_turn" });
    const data = { type: "agent_progress", agentId: "x1", message: inner };
    const records = [user("p", "do it"), { type: "progress", uuid: "g", parentToolUseID: "t", sessionId: "s", data }];
    const alone = await loadRecords(records);
    expect(alone.subagents).toMatchObject([
      { agentId: "x1", source: "progress", parentToolUseId: "t", messages: [{ text: "below" }] },
    ]);
    expect(usageOf(alone)).toMatchObject({
      total: { messages: 1 },
      bySubagent: { x1: { usage: { outputTokens: 5 } } },
    });
    const below = join(folder, `file-${files + 1}`, "subagents", "workflows", "w");
    await mkdir(below, { recursive: true });
    await writeFile(
      join(below, "agent-x1.jsonl"),
      `${JSON.stringify({ ...inner, agentId: "x1", isSidechain: true })}\n`,
    );
    const both = await loadRecords(records);
    expect(both.subagents).toMatchObject([{ agentId: "x1", source: "file", parentToolUseId: "t" }]);
    expect(usageOf(both).total).toMatchObject({ messages: 1, usage: { outputTokens: 5 } });
  });

  it("has the files of sub-agents that lie beside it, of its own session only", async () => {
    for (const [name, sessionId] of Object.entries({ aa: "s", bb: "other" })) {
      const records = { ...user("w", "Warmup", { isSidechain: true, agentId: name }), sessionId };
      await writeFile(join(folder, `agent-${name}.jsonl`), `${JSON.stringify(records)}\n`);
    }
    const { subagents } = await loadRecords([user("p", "do it")]);
    expect(subagents.map(({ agentId, source }) => [agentId, source])).toEqual([["aa", "file"]]);
    const own = await load(join(folder, "agent-aa.jsonl"));
    expect([own.messages.length, own.subagents.length]).toEqual([1, 0]);
    await rm(join(folder, "agent-aa.jsonl"));
  });

  it("follows the branch that the CLI noted last", async () => {
    const chained = (uuid: string, parentUuid: string | null) => ({ ...user(uuid, uuid), parentUuid });
    const branches = [chained("p1", null), chained("p2", "p1"), chained("p3", "p1")];
    const texts = async (records: readonly unknown[]) => mainChain(await loadRecords(records)).map(({ text }) => text);
    expect(await texts(branches)).toEqual(["p1", "p3"]);
    expect(await texts([...branches, { type: "last-prompt", leafUuid: "p2", sessionId: "s" }])).toEqual(["p1", "p2"]);
    expect(await texts([...branches, { type: "last-prompt", leafUuid: "gone", sessionId: "s" }])).toEqual(["p1", "p3"]);
  });

  it("sums up tools and costs, with the money that an early record states", async () => {
    const calls = ["t1", "t2", "t3"].map((id) => ({ type: "tool_use", id, name: "Bash", input: {} }));
    const transcript = await loadRecords([
      user("p", "do it"),
      { ...assistant("a", "m1", { content: calls, usage: { output_tokens: 4 } }), costUSD: 0.25 },
      user("r1", [{ type: "tool_result", tool_use_id: "t1", content: "x" }]),
      user("r2", [{ type: "tool_result", tool_use_id: "t2", is_error: true, content: "no" }], {
        toolUseResult: "Error: no",
      }),
    ]);
    expect(analyzeToolPatterns(transcript)).toEqual([
      {
        tool: "Bash",
        calls: 3,
        succeeded: 1,
        failed: 1,
        unanswered: 1,
        successRate: 0.5,
        averageDurationMs: 2_000,
        totalDurationMs: 4_000,
      },
    ]);
    expect(calculateSessionMetrics(transcript)).toMatchObject({
      costUsd: 0.25,
      totalMessages: 4,
      userMessages: 3,
      assistantMessages: 1,
      toolUsageCount: { Bash: 3 },
      durationMs: 2_000,
      averageCostPerMessageUsd: 0.0625,
    });
    expect(messagesByTool(transcript, "Bash")).toHaveLength(1);
  });
});
