import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleTranscripts } from "../../test/support/sample-transcripts.ts";
import { answer, linesOf, prompt } from "../../test/support/write-history.ts";
import { findSessions } from "./discover/find-sessions.ts";
import { summarizeSession } from "./discover/load-project.ts";
import { tail } from "./follow/tail.ts";
import { openTranscriptIndex } from "./index-store/open-transcript-index.ts";
import type { TranscriptIndex } from "./index-store/transcript-index.ts";
import { load } from "./read/load.ts";
import { parseTranscript } from "./read/parse-transcript.ts";
import { readFirstPage, readLastPage } from "./read/read-page.ts";
import { rawOf } from "./records/transcript-record.ts";
import { scanFile } from "./scan/scan-file.ts";
import { scanUsage } from "./scan/scan-usage.ts";
import { usageByTool, usageOf } from "./usage/transcript-usage.ts";

let root: string;
let index: TranscriptIndex;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-odd-values-"));
  index = await openTranscriptIndex({ home: join(root, "home"), transcriptsHome: join(root, "projects") });
});
afterEach(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(root, "projects", "-work-app", `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const place = { sessionId: "s" };
const sample = (name: string): string => sampleTranscripts()[name] ?? "";

describe("a value of another type than usual", () => {
  it("drops no message: a numeric time is a time, and what is only beside the point is left out", async () => {
    const moment = Date.UTC(2026, 10, 10, 12);
    const records = [
      { ...prompt("p1", "first", place), timestamp: moment },
      { ...answer("a1", "second", { ...place, id: "m1" }), timestamp: moment / 1000, gitBranch: 7, version: null },
      { ...answer("a2", "third", { ...place, id: "m2" }), timestamp: -1, cwd: ["/"], requestId: {} },
    ];
    const path = write("s", linesOf(records));
    const transcript = await load(path);
    expect(transcript.messages.map(({ text }) => text)).toEqual(["first", "second", "third"]);
    const [time] = [new Date(moment).toISOString()];
    expect(transcript.messages.map(({ timestamp }) => timestamp)).toEqual([time, time, undefined]);
    expect(transcript.problems.map(({ kind }) => kind)).toEqual(["shape", "shape", "shape"]);
    expect(transcript.records.map(({ record }) => rawOf(record))).toEqual(records);
    await index.refresh();
    expect((await index.session("s")).messages).toBe(3);
    const { total } = await scanUsage([path]);
    expect([usageOf(transcript).total, (await index.stats({ by: "model" })).total]).toEqual([total, total]);
    const days = await index.stats({ by: "day", timeZone: "UTC" });
    expect(days.rows.map(({ key }) => key)).toEqual(["", "2026-11-10"]);
  });

  it("gives no money that nobody could pay: such a count is none, and the rest a lower bound", async () => {
    const base = answer("a1", "so", { ...place, id: "m1" });
    const usage = (numbers: string): string =>
      JSON.stringify(base).replace(/"usage":\{[^}]*\}/u, `"costUSD":1,"usage":{"input_tokens":10,${numbers}}`);
    for (const numbers of ['"output_tokens":1e300', '"output_tokens":1e999', '"output_tokens":-1e20']) {
      const path = write("s", `${usage(numbers)}\n`);
      await index.refresh();
      const found = [usageOf(await load(path)).total, (await scanUsage([path])).total];
      for (const total of [...found, (await index.stats({ by: "model" })).total]) {
        expect(total).toMatchObject({ lowerBounds: 1, costUsd: 0.00003, usage: { inputTokens: 10, outputTokens: 0 } });
      }
    }
    const halves = write(
      "s",
      `${usage('"output_tokens":10.4').replace('"type":"assistant"', '"type":"assistant","costUSD":1e300')}\n`,
    );
    await index.refresh();
    const { total } = await scanUsage([halves]);
    expect(total).toMatchObject({ lowerBounds: 0, costUsd: 0.00018, usage: { outputTokens: 10 } });
    expect((await index.stats({ by: "model" })).total).toEqual(total);
  });
});

describe("a line of 200 MB", () => {
  it("is passed over and told by every reader, and the lines around it are read", async () => {
    const [first, last] = [
      linesOf([answer("a1", "before", { ...place, id: "m1" })]),
      linesOf([answer("a2", "behind", { ...place, id: "m2" })]),
    ];
    const path = write("s", first);
    // A hole in the file: the disk has nothing of it.
    truncateSync(path, first.length + 200 * 1024 * 1024);
    appendFileSync(path, `\n${last}`);
    const transcript = await load(path);
    expect(transcript.messages.map(({ text }) => text)).toEqual(["before", "behind"]);
    expect(transcript.problems).toMatchObject([{ kind: "too-long", line: 2, offset: first.length }]);
    expect(transcript.sizeBytes).toBe(statSync(path).size);
    expect((await scanUsage([path])).problems).toMatchObject([{ kind: "too-long", line: 2 }]);
    expect([...scanFile(path)].map(({ type }) => type)).toEqual(["record", "broken", "record"]);
    expect(readLastPage(path, 9).messages.map(({ text }) => text)).toEqual(["before", "behind"]);
    expect(readFirstPage(path, 9).messages.map(({ text }) => text)).toEqual(["before", "behind"]);
    const [entries, followed]: [string[], string[]] = [[], []];
    for await (const entry of parseTranscript(path)) entries.push(entry.type);
    expect(entries).toEqual(["record", "problem", "record"]);
    for await (const entry of tail(path)) {
      followed.push(entry.type);
      if (followed.length === 3) break;
    }
    expect(followed).toEqual(entries);
    expect(await index.refresh()).toMatchObject({ linesRead: 3, brokenLines: 1, skipped: [] });
    expect((await index.search("behind")).hits).toHaveLength(1);
  }, 60_000);
});

describe("what is only said in passing", () => {
  it("sub-agents that only progress records tell of are counted by tool, and found", async () => {
    const path = write("s", sample("v2.1.29-agent-progress"));
    await index.refresh();
    const { rows } = await index.stats({ by: "tool" });
    const loaded = usageByTool(await load(path));
    expect(rows.map(({ key, tool, usage }) => [key, tool?.calls, tool?.unanswered, usage.outputTokens])).toEqual([
      ["Grep", 1, 0, loaded["Grep"]?.usage.outputTokens],
      ["Task", 1, 0, loaded["Task"]?.usage.outputTokens],
    ]);
    expect((await index.search("feathers")).hits).toMatchObject([
      { role: "answer", agentId: "a7f3c21", uuid: "agp-i2", snippet: { text: "A kilogramme of feathers." } },
    ]);
    expect((await index.search("scales", { role: "tool" })).hits).toMatchObject([
      { snippet: { text: "scales.txt: 1000" } },
    ]);
    expect(await index.session("5a000007")).toMatchObject({ prompts: 1, messages: 7 });
  });

  it("a summary is the title of the session that has its record, in whichever file it stands", async () => {
    const own = write("5a000001-0000-4000-8000-000000000001", sample("v1.0.29-summaries"));
    await index.refresh();
    expect((await index.session("5a000001")).title).toBe("The parser of dates");
    expect((await load(own)).title).toBe("The parser of dates");
    const [session] = (await findSessions({ base: join(root, "projects") })).sessions;
    expect(session && summarizeSession(session, [], [])?.title).toBe("The parser of dates");
    write("other", linesOf([prompt("o1", "Draw a tree", { sessionId: "other" })]));
    await index.refresh();
    expect((await index.session("other")).title).toBeUndefined();
    const later = write("later", linesOf([{ type: "summary", summary: "A tree is drawn", leafUuid: "o1" }]));
    await index.refresh();
    expect((await index.session("other")).title).toBe("A tree is drawn");
    writeFileSync(later, linesOf([prompt("l1", "nothing", { sessionId: "later" })]));
    await index.refresh();
    expect((await index.session("other")).title).toBeUndefined();
  });

  it("a title that a person gave stays, whatever the CLI calls the session after it, by every way to read it", async () => {
    const titles = [
      { type: "ai-title", aiTitle: "Made first" },
      { type: "custom-title", customTitle: "Mine" },
      { type: "custom-title", customTitle: "" },
      { type: "ai-title", aiTitle: "Made last" },
    ].map((record) => ({ ...record, sessionId: "named" }));
    const path = write("named", linesOf([prompt("n1", "Draw a tree", { sessionId: "named" }), ...titles]));
    await index.refresh();
    const [session] = (await findSessions({ base: join(root, "projects") })).sessions;
    expect([
      (await load(path)).title,
      session && summarizeSession(session, [], [])?.title,
      (await index.session("named")).title,
    ]).toEqual(["Mine", "Mine", "Mine"]);
  });

  it("what was opened in an editor is neither a title nor a prompt", async () => {
    const opened = "<ide_opened_file>The user opened a.ts</ide_opened_file>";
    const both = {
      role: "user",
      content: [
        { type: "text", text: opened },
        { type: "text", text: "Rename it" },
      ],
    };
    const path = write(
      "s",
      linesOf([
        prompt("p1", opened, place),
        { ...prompt("p2", "", place), message: both },
        prompt("p3", "<ide_selection>x</ide_selection>", place),
      ]),
    );
    await index.refresh();
    expect(await index.session("s")).toMatchObject({ prompts: 1, firstPrompt: "Rename it" });
    expect((await load(path)).messages.map(({ kind }) => kind)).toEqual(["meta", "prompt", "meta"]);
  });

  it("words inside of Chinese, Japanese and Korean text are found, and shown where they stand", async () => {
    write("s", sample("v2.1.220-new-records"));
    await index.refresh();
    for (const words of ["東京", "天気", "搜索", "中文搜索", "한국어", "국어"]) {
      const { hits } = await index.search(words);
      expect([words, hits.map(({ uuid }) => uuid)]).toEqual([words, ["new-p1"]]);
      const { text = "", ranges = [] } = hits[0]?.snippet ?? {};
      expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual([words]);
    }
    expect((await index.search("京天")).hits).toEqual([]);
  });
});
