import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SkeinEvent, TurnResult } from "../core/index.ts";
import type { ToolEndEvent } from "../core/internal.ts";
import { type ClaudeOptions, claudePrompt, type ClaudePrompt, createAttachment } from "../engine/index.ts";
import { loadScenario } from "../offline/index.ts";
import { type OfflineAgent, startOfflineAgent } from "../testing/index.ts";
import { findProjects } from "./discover/find-projects.ts";
import { findSessions, findSessionSubagents } from "./discover/find-sessions.ts";
import { loadProject } from "./discover/load-project.ts";
import { mainChain, treeOf } from "./model/chains.ts";
import { joinSessions } from "./model/join-sessions.ts";
import type { Transcript } from "./model/transcript.ts";
import { load } from "./read/load.ts";
import { scanUsage } from "./scan/scan-usage.ts";
import { checkParity } from "./usage/check-parity.ts";
import { usageByTool, usageByTurn, usageOf } from "./usage/transcript-usage.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SUB = String.raw`{"description":"look","subagent_type":"general-purpose","run_in_background":false,"prompt":"Bash {\"command\":\"echo below\"}\nsay from below"}`;
const WORK = [
  "think about it",
  "say I begin",
  `Agent ${SUB}`,
  '& Bash {"command":"exit 3"}',
  'Write {"file_path":"{{cwd}}/a.txt","content":"a"}',
  "say done",
].join("\n");

/** A turn as the SDK told it. */
interface Told {
  readonly result: TurnResult;
  readonly events: readonly SkeinEvent[];
}

let agent: OfflineAgent;
let base: string;
/** Turns of one session, in order; and sessions that came of it. */
const told: Record<
  "work" | "image" | "second" | "compact" | "after" | "fork" | "elsewhere" | "output" | "error",
  Told
> = {} as never;

async function tell(prompt: string | ClaudePrompt, options: ClaudeOptions = {}): Promise<Told> {
  const events: SkeinEvent[] = [];
  const stream = agent.engine.stream(typeof prompt === "string" ? claudePrompt(prompt) : prompt, options);
  for (;;) {
    const next = await stream.next();
    if (next.done) return { result: next.value, events };
    events.push(next.value);
  }
}

async function read(sessionId: string): Promise<Transcript> {
  const { sessions } = await findSessions({ base });
  return load(sessions.find((session) => session.sessionId === sessionId)?.path ?? "");
}

beforeAll(async () => {
  agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash", "Agent", "Write"] });
  base = join(agent.home, ".claude", "projects");
  told.work = await tell(WORK);
  const resume = told.work.result.sessionId;
  const image = createAttachment({ name: "dot.png", mediaType: "image/png", data: PIXEL });
  told.image = await tell(claudePrompt({ text: "say I see", attachments: [image] }), { resume });
  told.fork = await tell("say forked", { resume, forkSession: true });
  const cwd = await mkdtemp(`${agent.cwd}-elsewhere-`);
  told.elsewhere = await tell("say elsewhere", { resume, forkSession: true, cwd });
  told.second = await tell("say second", { resume });
  told.compact = await tell("/compact", { resume });
  told.after = await tell("say after", { resume });
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  told.output = await tell('output {"n":1}', { outputSchema });
  told.error = await tell('fail {"type":"http","status":400}');
});
afterAll(() => agent.close());

describe("a transcript that the CLI wrote", () => {
  it("is read without a problem, and every record has a known type", async () => {
    const { sessions } = await findSessions({ base });
    const transcripts = await Promise.all(sessions.map(({ path }) => load(path)));
    const records = transcripts.flatMap((transcript) => [
      ...transcript.records.map(({ record }) => record),
      ...transcript.subagents.flatMap((subagent) => subagent.records),
    ]);
    expect(transcripts).toHaveLength(5);
    expect(transcripts.flatMap(({ problems }) => problems)).toEqual([]);
    expect(records.filter(({ type }) => type === "unknown")).toEqual([]);
  });

  it("has the messages that the SDK gave: texts, thinking, tools with their results", async () => {
    const { messages } = await read(told.work.result.sessionId);
    const turn = messages.slice(
      0,
      messages.findIndex(({ text }) => text.includes("I see")),
    );
    const answers = turn.filter(({ role }) => role === "assistant");
    expect(answers.map(({ text }) => text).filter(Boolean)).toEqual(textsOf(told.work.events, "text"));
    expect(answers.map(({ thinking }) => thinking).filter(Boolean)).toEqual(textsOf(told.work.events, "thinking"));
    const uses = answers.flatMap(({ toolUses }) => toolUses);
    const ends = told.work.events.filter((event): event is ToolEndEvent => event.type === "tool-end");
    const own = ends.filter(({ toolUseId }) => uses.some(({ id }) => id === toolUseId));
    expect(uses.map(({ id, name, result }) => [id, name, result?.isError]).toSorted(byFirst)).toEqual(
      own.map(({ toolUseId, tool, isError }) => [toolUseId, tool, isError]).toSorted(byFirst),
    );
    expect(uses.map(({ name }) => name)).toEqual(["Agent", "Bash", "Write"]);
    expect(uses[1]?.result).toMatchObject({ text: "Exit code 3", isError: true });
    expect(uses.every(({ durationMs }) => durationMs !== undefined && durationMs >= 0)).toBe(true);
    expect(answers.map(({ stopReason }) => stopReason)).toEqual(["tool_use", "tool_use", "end_turn"]);
    expect(new Set(answers.map(({ model }) => model))).toEqual(new Set(["claude-sonnet-5-5"]));
  });

  it("has the sub-agent with the call it came from", async () => {
    const transcript = await read(told.work.result.sessionId);
    const [call] = transcript.messages.flatMap(({ toolUses }) => toolUses).filter(({ name }) => name === "Agent");
    expect(transcript.subagents).toHaveLength(1);
    expect(transcript.subagents[0]).toMatchObject({
      source: "file",
      agentType: "general-purpose",
      description: "look",
      parentToolUseId: call?.id,
      parentAgentId: undefined,
      isCompaction: false,
    });
    expect(transcript.subagents[0]?.messages.at(-1)?.text).toBe("from below");
    expect(transcript.subagents[0]?.messages.flatMap(({ toolUses }) => toolUses)[0]?.result?.text).toBe("below");
  });

  it("has the image, the structured output and the API's error", async () => {
    const { messages } = await read(told.work.result.sessionId);
    expect(messages.flatMap(({ images }) => images)).toEqual([{ mediaType: "image/png", data: PIXEL, url: undefined }]);
    const output = await read(told.output.result.sessionId);
    const [use] = output.messages.flatMap(({ toolUses }) => toolUses);
    expect([use?.name, use?.input]).toEqual(["StructuredOutput", told.output.result.structuredOutput]);
    const failed = (await read(told.error.result.sessionId)).messages.at(-1);
    expect(failed).toMatchObject({ isApiError: true, text: told.error.result.text, model: "<synthetic>" });
  });

  it("goes on across the compaction, and says what the CLI wrote no message for", async () => {
    const transcript = await read(told.work.result.sessionId);
    expect(transcript.compactions).toHaveLength(1);
    expect(transcript.compactions[0]).toMatchObject({ trigger: "manual", summary: expect.stringContaining("Summary") });
    const texts = mainChain(transcript).map(({ text }) => text);
    expect(texts.slice(0, 1)).toEqual([WORK]);
    expect(texts.slice(-2)).toEqual(["say after", "after"]);
    expect(treeOf(transcript)).toMatchObject({ orphans: [], cycles: [], branches: [] });
    const { unrecorded } = checkParity(transcript) ?? {};
    const [compaction] = Object.values(told.compact.result.usageByModel);
    expect(unrecorded?.["claude-sonnet-5-5"]).toEqual({
      ...compaction,
      costUsd: expect.closeTo(compaction?.costUsd ?? 0, 5),
    });
  });
});

describe("the totals", () => {
  it("are those of the result, for a session of one turn", async () => {
    for (const { result } of [told.output, told.error]) {
      const transcript = await read(result.sessionId);
      expect(checkParity(transcript, result.usageByModel)).toMatchObject({ isEqual: true });
      expect(checkParity(transcript)).toMatchObject({ isEqual: true });
    }
  });

  it("are those of each turn, sub-agents included", async () => {
    const transcript = await read(told.work.result.sessionId);
    const turns = usageByTurn(transcript).filter(({ messages }) => messages > 0);
    const results = [told.work, told.image, told.second, told.after].map(({ result }) => result);
    expect(
      turns.map(({ usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } }) => ({
        inputTokens,
        outputTokens,
        cacheReadTokens,
        cacheWriteTokens,
      })),
    ).toEqual(results.map(({ usage }) => usage));
    for (const [index, { costUsd }] of results.entries()) {
      expect(turns[index]).toMatchObject({ costUsd: 0, offlineCostUsd: expect.closeTo(costUsd, 5) as number });
    }
    const tools = usageByTool(transcript);
    expect(Object.keys(tools).toSorted()).toEqual(["", "Agent", "Bash", "Write"]);
    const sum = Object.values(tools).reduce((total, { usage }) => total + usage.outputTokens, 0);
    expect(sum).toBe(usageOf(transcript).total.usage.outputTokens);
  });

  it("count what forks copied once, whether loaded or scanned", async () => {
    const { sessions } = await findSessions({ base });
    const paths = (
      await Promise.all(sessions.map(async (one) => [one.path, ...(await findSessionSubagents(one))]))
    ).flat();
    const scanned = await scanUsage(paths, { timeZone: "UTC" });
    const loaded = usageOf(await Promise.all(sessions.map(({ path }) => load(path))), { timeZone: "UTC" });
    const { compact: _unrecorded, ...rest } = told;
    const spent = Object.values(rest).reduce((sum, { result }) => sum + result.costUsd, 0);
    expect(scanned.total).toEqual(loaded.total);
    expect(scanned.byDay).toEqual(loaded.byDay);
    expect(scanned.total).toMatchObject({ costUsd: 0, offlineCostUsd: expect.closeTo(spent, 4) as number });
    expect(scanned).toMatchObject({ problems: [], skipped: [], unpricedModels: [], prices: { date: "2026-11-15" } });
    expect(scanned.total.lowerBounds).toBe(0);
  });
});

describe("sessions that came of one another", () => {
  it("are joined, with the fork as a branch and the common beginning once", async () => {
    const { sessions } = await findSessions({ base });
    const joined = joinSessions(await Promise.all(sessions.map(({ path }) => load(path))));
    const family = joined.find(({ transcripts }) => transcripts.length > 1);
    expect(joined).toHaveLength(3);
    expect(new Set(family?.sessionIds)).toEqual(
      new Set([told.work, told.fork, told.elsewhere].map(({ result }) => result.sessionId)),
    );
    expect(family?.messages.filter(({ text }) => text === WORK)).toHaveLength(1);
    expect(family?.tree.branches.map(({ promptUuids }) => promptUuids.length)).toEqual([3]);
  });

  it("are found as projects by their real paths", async () => {
    const { projects, skipped } = await findProjects({ base });
    expect(skipped).toEqual([]);
    expect(projects.map(({ path }) => path)).toEqual(expect.arrayContaining([agent.cwd]));
    const project = await loadProject(agent.cwd, { base });
    expect(project.path).toBe(agent.cwd);
    expect(project.sessions).toHaveLength(
      (await readdir(project.folder)).filter((name) => name.endsWith(".jsonl")).length,
    );
    expect(project.toolUsageCount).toMatchObject({ Agent: expect.any(Number), StructuredOutput: 1 });
    await expect(loadProject("no such project", { base })).rejects.toMatchObject({ kind: "usage" });
  });
});

describe("a turn that was interrupted", () => {
  it("leaves a transcript that is read, with the call that has no result or a failed one", async () => {
    const abort = new AbortController();
    const stream = agent.engine.stream(claudePrompt('Bash {"command":"sleep 60"}'), { signal: abort.signal });
    let sessionId = "";
    for await (const event of stream) {
      if ("sessionId" in event && event.sessionId) sessionId = event.sessionId;
      if (event.type === "tool-start") abort.abort();
    }
    const transcript = await read(sessionId);
    const [use] = transcript.messages.flatMap(({ toolUses }) => toolUses);
    expect(transcript.problems).toEqual([]);
    expect(use?.name).toBe("Bash");
    expect(use?.result?.isError ?? true).toBe(true);
  });
});

function textsOf(events: readonly SkeinEvent[], type: "text" | "thinking"): readonly string[] {
  return events.flatMap((event) =>
    event.type === type && !("parentToolUseId" in event && event.parentToolUseId) ? event.text : [],
  );
}

function byFirst(left: readonly unknown[], right: readonly unknown[]): number {
  return String(left[0]).localeCompare(String(right[0]));
}
