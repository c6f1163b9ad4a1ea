import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, prompt, toolResult, writeTranscript } from "../../../test/support/write-history.ts";
import { PRICE_TABLE } from "../../core/internal.ts";
import { scanUsage } from "../scan/scan-usage.ts";
import type { OpenTranscriptsOptions } from "../totals/open-transcripts.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

let root: string;
let base: string;
let index: TranscriptIndex;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-transcript-index-"));
  base = join(root, "projects");
  index = await open();
});

afterEach(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

function open(options: OpenTranscriptsOptions = {}): Promise<TranscriptIndex> {
  return openTranscriptIndex({ home: join(root, "home"), transcriptsHome: base, ...options });
}

async function write(name: string, records: readonly unknown[]): Promise<string> {
  return writeTranscript(join(base, `${name}.jsonl`), records);
}

const time = (minute: number): string => new Date(Date.UTC(2026, 10, 10, 12, minute)).toISOString();

/** Three sessions of two projects; the first has a tool, a sub-agent and an answer over two lines. */
async function writeThree(): Promise<readonly string[]> {
  const one = { sessionId: "aaaa-1", cwd: "/work/app" };
  const two = { sessionId: "aaaa-2", cwd: "/work/app" };
  const three = { sessionId: "bbbb-3", cwd: "/home/me/site" };
  return [
    await write("-work-app/aaaa-1", [
      prompt("p1", "Why does the build fail?", { ...one, timestamp: time(0) }),
      answer("a1", "", { ...one, timestamp: time(1), id: "m1", isFinal: false, output: 1, thinking: "Perhaps a typo" }),
      answer("a2", "Let me look", {
        ...one,
        timestamp: time(2),
        id: "m1",
        output: 50,
        call: { id: "t1", name: "Bash", input: { command: "npm run build\nnpm test" } },
      }),
      toolResult("r1", "error TS2304: Cannot find name", { ...one, timestamp: time(3), callId: "t1", isError: true }),
      answer("a3", "A name is missing", { ...one, timestamp: time(4), id: "m2" }),
      { type: "custom-title", customTitle: "The broken build", sessionId: "aaaa-1" },
      { type: "ai-title", aiTitle: "Another title", sessionId: "aaaa-1" },
    ]),
    await write("-work-app/aaaa-1/subagents/agent-x", [
      prompt("q1", "Look into the types", { ...one, timestamp: time(3), isSidechain: true, agentId: "x" }),
      answer("q2", "They are fine", { ...one, timestamp: time(3), isSidechain: true, agentId: "x", isFinal: false }),
    ]),
    await write("-work-app/aaaa-2", [
      prompt("p5", "Write a poem", { ...two, timestamp: time(30) }),
      answer("a5", "Roses are red", { ...two, timestamp: time(31), model: "qwen3-coder:30b", output: 999 }),
    ]),
    await write("-home-me-site/bbbb-3", [
      prompt("p6", "Größe der Datei prüfen", { ...three, timestamp: time(40) }),
      answer("a6", "Sie ist klein", { ...three, timestamp: time(41), model: "claude-opus-4-1", output: 100_000 }),
    ]),
  ];
}

const ids = async (query: Parameters<TranscriptIndex["sessions"]>[0]): Promise<readonly string[]> =>
  (await index.sessions(query)).sessions.map(({ id }) => id);

describe("the sessions of an index", () => {
  it("are summed up with their sub-agents", async () => {
    await index.archive();
    await writeThree();
    await index.refresh();
    const { files, usage, ...session } = await index.session("aaaa-1");
    expect(session).toEqual({
      id: "aaaa-1",
      sessionIds: ["aaaa-1"],
      project: "/work/app",
      title: "The broken build",
      firstPrompt: "Why does the build fail?",
      startedAtMs: Date.parse(time(0)),
      endedAtMs: Date.parse(time(4)),
      durationMs: 4 * 60_000,
      prompts: 1,
      messages: 6,
      subagents: 1,
      toolCalls: 1,
      toolErrors: 1,
      tools: [{ tool: "Bash", calls: 1, errors: 1 }],
      models: ["claude-sonnet-4-5-20250929"],
      versions: ["2.1.300"],
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      isPurged: false,
    });
    expect(usage).toMatchObject({ messages: 3, lowerBounds: 1, unpriced: 0, usage: { outputTokens: 70 } });
    expect(files.map(({ isSubagent, sessionId, isKept }) => [isSubagent, sessionId, isKept])).toEqual([
      [false, "aaaa-1", true],
      [true, "aaaa-1", true],
    ]);
  });

  it("are chosen, ordered and paged, with totals over all that fit", async () => {
    await writeThree();
    await index.refresh();
    expect(await ids({})).toEqual(["bbbb-3", "aaaa-2", "aaaa-1"]);
    expect(await ids({ project: "/work/app" })).toEqual(["aaaa-2", "aaaa-1"]);
    expect(await ids({ project: "app", sort: "duration" })).toEqual(["aaaa-1", "aaaa-2"]);
    expect(await ids({ project: "-home-me-site" })).toEqual(["bbbb-3"]);
    expect(await ids({ sinceMs: Date.parse(time(31)) })).toEqual(["bbbb-3", "aaaa-2"]);
    expect(await ids({ untilMs: Date.parse(time(30)) })).toEqual(["aaaa-1"]);
    expect(await ids({ model: "SONNET" })).toEqual(["aaaa-1"]);
    expect(await ids({ tool: "Bash" })).toEqual(["aaaa-1"]);
    expect(await ids({ minCostUsd: 1 })).toEqual(["bbbb-3"]);
    expect(await ids({ sort: "messages", limit: 1 })).toEqual(["aaaa-1"]);
    expect(await ids({ sort: "started", limit: 1, offset: 1 })).toEqual(["aaaa-2"]);
    const { totals, prices } = await index.sessions({ limit: 1 });
    expect(totals).toMatchObject({ sessions: 3, messages: 5, lowerBounds: 1, unpriced: 1 });
    expect(prices.date).toBe(PRICE_TABLE.date);
  });

  it("are found by the beginning of an id that only one has", async () => {
    await writeThree();
    await index.refresh();
    expect((await index.session("b")).id).toBe("bbbb-3");
    await expect(index.session("aaaa")).rejects.toMatchObject({ kind: "usage", target: "aaaa" });
    await expect(index.session("cccc")).rejects.toMatchObject({ kind: "session_not_found", target: "cccc" });
    await expect(index.session("")).rejects.toMatchObject({ kind: "session_not_found" });
  });
});

describe("files that share records", () => {
  const place = { sessionId: "old" };
  const shared = [
    prompt("p1", "the common beginning", { ...place, timestamp: time(0) }),
    answer("a1", "yes", { ...place, timestamp: time(1), call: { id: "t1", name: "Read" } }),
    toolResult("r1", "content", { ...place, timestamp: time(2), callId: "t1" }),
  ];
  const fork = [...shared, prompt("p2", "another way", { sessionId: "fork", timestamp: time(9) })];

  it("are one session, in which a copy counts nothing, in whatever order they were read", async () => {
    // The copy's name comes first, and it is read first.
    await write("-work-app/fork", fork);
    await index.refresh();
    const alone = await index.session("fork");
    expect([alone.id, alone.messages]).toEqual(["fork", 4]);
    await write("-work-app/old", [...shared, prompt("p3", "the first way", { ...place, timestamp: time(5) })]);
    await index.refresh();
    const joined = await index.session("fork");
    expect(joined).toMatchObject({ id: "old", sessionIds: ["old", "fork"], messages: 5, prompts: 3, toolCalls: 1 });
    expect(joined.files.map(({ sessionId }) => sessionId)).toEqual(["old", "fork"]);
    expect(joined.usage.messages).toBe(1);
    expect((await index.search("common")).hits).toHaveLength(1);
    expect((await index.stats({ by: "tool" })).rows).toMatchObject([{ key: "Read", tool: { calls: 1 } }]);
  });

  it("are two sessions again when one of them is replaced", async () => {
    await write("-work-app/old", shared);
    await write("-work-app/fork", fork);
    await index.refresh();
    expect(await ids({})).toEqual(["old"]);
    await write("-work-app/fork", [prompt("n1", "nothing alike", { sessionId: "fork", timestamp: time(20) })]);
    await index.refresh();
    expect(await ids({})).toEqual(["fork", "old"]);
    expect((await index.session("old")).messages).toBe(3);
    expect((await index.search("common")).hits).toHaveLength(1);
  });

  it("count a response by the file that counted more", async () => {
    await write("-work-app/a", [answer("x1", "so", { sessionId: "a", id: "m", output: 1, isFinal: false })]);
    const whole = await write("-work-app/b", [answer("x2", "so much", { sessionId: "b", id: "m", output: 77 })]);
    await index.refresh();
    const { total } = await index.stats({ by: "session" });
    expect(total).toEqual((await scanUsage([whole])).total);
  });
});

describe("a search", () => {
  beforeEach(async () => {
    await writeThree();
    await index.refresh();
  });

  const found = async (words: string, options = {}): Promise<unknown> =>
    (await index.search(words, options)).hits.map(({ role, snippet }) => [role, snippet?.text]);

  it.each([
    ["build fail*", {}, [["prompt", "Why does the build fail?"]]],
    ["typo", {}, [["thinking", "Perhaps a typo"]]],
    ["ts2304", {}, [["tool", "error TS2304: Cannot find name"]]],
    ["npm test", {}, [["tool", '{"command":"npm run build\nnpm test"}']]],
    ["grosse", {}, []],
    ["GROẞE", {}, [["prompt", "Größe der Datei prüfen"]]],
    ["größe DATEI", {}, [["prompt", "Größe der Datei prüfen"]]],
    ["broken", {}, [["title", "The broken build"]]],
    ["name", { role: "answer" }, [["answer", "A name is missing"]]],
    ["name", { role: "tool" }, [["tool", "error TS2304: Cannot find name"]]],
    ["are", { project: "/work/app", sinceMs: Date.parse(time(10)) }, [["answer", "Roses are red"]]],
    ["are", { session: "aaaa-1" }, [["answer", "They are fine"]]],
    ["nowhere", {}, []],
    ['" ( *', {}, []],
  ])("for %j with %j", async (words, options, expected) => {
    expect(await found(words, options)).toEqual(expected);
  });

  it("says where the words stand", async () => {
    const { hits, hasMore, isPartial } = await index.search('"the build" why');
    expect([hits.length, hasMore, isPartial]).toEqual([1, false, false]);
    expect(hits[0]).toMatchObject({
      sessionId: "aaaa-1",
      project: "/work/app",
      sessionTitle: "The broken build",
      uuid: "p1",
      timestampMs: Date.parse(time(0)),
      path: join(base, "-work-app/aaaa-1.jsonl"),
      offset: 0,
    });
    expect(hits[0]?.snippet).toEqual({
      text: "Why does the build fail?",
      ranges: [
        [0, 3],
        [9, 18],
      ],
      isCutBefore: false,
      isCutAfter: false,
    });
  });

  it("gives what was said before what went through a tool, and one page at a time", async () => {
    expect(await found("build")).toEqual([
      ["title", "The broken build"],
      ["prompt", "Why does the build fail?"],
      ["tool", '{"command":"npm run build\nnpm test"}'],
    ]);
    const page = await index.search("build", { limit: 1, offset: 1 });
    expect([page.hits.map(({ uuid }) => uuid), page.hasMore]).toEqual([["p1"], true]);
  });
});

describe("the numbers of an index", () => {
  it("are those of a scan of the same files", async () => {
    const paths = await writeThree();
    await index.refresh();
    const scan = await scanUsage(paths.toSorted(), { timeZone: "UTC" });
    for (const [by, groups] of [
      ["model", scan.byModel],
      ["day", scan.byDay],
      ["project", scan.byProject],
      ["session", scan.bySession],
    ] as const) {
      const { rows, total, unpricedModels, prices } = await index.stats({ by, timeZone: "UTC" });
      const totals = rows.map(({ key, label: _label, tool: _tool, ...sums }) => [key, sums]);
      expect(Object.fromEntries(totals)).toEqual({ ...groups });
      expect([total, unpricedModels, prices]).toEqual([scan.total, scan.unpricedModels, scan.prices]);
    }
  });

  it("are given by tool, by day in a time zone, and for a part", async () => {
    await writeThree();
    await index.refresh();
    expect((await index.stats({ by: "tool" })).rows).toMatchObject([
      {
        key: "Bash",
        tool: { calls: 1, errors: 1, unanswered: 0, totalDurationMs: 60_000, averageDurationMs: 60_000 },
        usage: { outputTokens: 50 },
      },
    ]);
    const days = await index.stats({ by: "day", timeZone: "Pacific/Kiritimati" });
    expect(days.rows.map(({ key }) => key)).toEqual(["2026-11-11"]);
    const part = await index.stats({ by: "session", project: "app", model: "claude", sinceMs: Date.parse(time(2)) });
    expect(part.rows.map(({ key, label, messages }) => [key, label, messages])).toEqual([
      ["aaaa-1", "The broken build", 2],
    ]);
    expect((await index.stats({ by: "model", session: "bbbb" })).total.usage.outputTokens).toBe(100_000);
  });

  it("are reckoned anew by other prices", async () => {
    await writeThree();
    await index.refresh();
    const before = await index.stats({ by: "model" });
    await index.close();
    index = await open({ prices: { ...PRICE_TABLE, date: "2030-01-01", models: {} } });
    await index.refresh();
    const unpriced = await index.stats({ by: "model" });
    expect([unpriced.total.costUsd, unpriced.prices.date]).toEqual([0, "2030-01-01"]);
    expect(unpriced.unpricedModels).toEqual(["claude-opus-4-1", "claude-sonnet-4-5-20250929", "qwen3-coder:30b"]);
    expect((await index.sessions()).totals.costUsd).toBe(0);
    await index.close();
    index = await open();
    await index.refresh();
    expect(await index.stats({ by: "model" })).toEqual(before);
  });
});

describe("a closed index", () => {
  it("says so, and can be closed again", async () => {
    await index.close();
    await expect(index.sessions()).rejects.toMatchObject({ kind: "usage" });
    await index.close();
  });
});
