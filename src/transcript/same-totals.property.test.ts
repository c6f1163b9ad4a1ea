import fc from "fast-check";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allSamples } from "../../test/support/transcript-samples.ts";
import { answer, prompt } from "../../test/support/write-history.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { createFollower } from "./follow/follow-file.ts";
import { openTranscriptIndex } from "./index-store/open-transcript-index.ts";
import type { TranscriptIndex } from "./index-store/transcript-index.ts";
import { entriesOf } from "./read/parse-transcript.ts";
import { load } from "./read/load.ts";
import { readFirstPage, readLastPage } from "./read/read-page.ts";
import { scanFile } from "./scan/scan-file.ts";
import { scanUsage } from "./scan/scan-usage.ts";
import { usageOf } from "./usage/transcript-usage.ts";
import { createUsageCounter } from "./usage/usage-counter.ts";
import { usageLineOf } from "./usage/usage-line.ts";
import type { UsageTotals } from "./usage/usage-totals.ts";

const SAMPLES = allSamples();

let root: string;
let index: TranscriptIndex;
let path: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-same-totals-"));
  mkdirSync(join(root, "projects", "-work-app"), { recursive: true });
  path = join(root, "projects", "-work-app", "5a000000-0000-4000-8000-000000000000.jsonl");
  index = await openTranscriptIndex({
    home: join(root, "home"),
    transcriptsHome: join(root, "projects"),
    keepTranscripts: false,
  });
});

afterEach(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

/** The totals of the file at `path`, by each of the ways there are to read it. */
async function totals(): Promise<Readonly<Record<string, UsageTotals>>> {
  await index.refresh();
  const scanned = createUsageCounter();
  for (const item of scanFile(path)) {
    if (item.type === "record" && item.usage !== undefined) scanned.add(item.usage, path);
  }
  return {
    load: usageOf(await load(path)).total,
    scanUsage: (await scanUsage([path])).total,
    scanFile: scanned.report().total,
    index: (await index.stats({ by: "model" })).total,
    sessions: sessionTotals((await index.sessions()).totals),
  };
}

function sessionTotals({ sessions: _sessions, ...rest }: UsageTotals & { readonly sessions: number }): UsageTotals {
  return rest;
}

function allEqual(found: Readonly<Record<string, UsageTotals>>): void {
  for (const each of Object.values(found)) expect(each).toEqual(found["load"]);
}

describe("with a final line feed and without", () => {
  it("a transcript has the same totals by every way to read it", async () => {
    for (const { name, bytes } of SAMPLES) {
      writeFileSync(path, bytes.toString("utf8").trimEnd());
      const without = await totals();
      allEqual(without);
      appendFileSync(path, "\n");
      const withFeed = await totals();
      allEqual(withFeed);
      expect([name, withFeed["load"]]).toEqual([name, without["load"]]);
    }
  });

  it("a transcript has the same messages and pages", async () => {
    const brief = async (bytes: Buffer, end: string): Promise<unknown> => {
      writeFileSync(path, bytes.toString("utf8").trimEnd() + end);
      const { messages, records, endsInHalfALine } = await load(path);
      const [first, last] = [readFirstPage(path, 1e6), readLastPage(path, 1e6)];
      expect(first.records).toEqual(last.records);
      return { messages, records: records.length, first: first.records.length, endsInHalfALine };
    };
    for (const { bytes } of SAMPLES) expect(await brief(bytes, "")).toEqual(await brief(bytes, "\n"));
  });
});

describe("cut anywhere", () => {
  const short = new Map(SAMPLES.filter(({ bytes }) => bytes.length < 60_000).map(({ name, bytes }) => [name, bytes]));
  const bytesOf = (name: string): Buffer => short.get(name) ?? Buffer.alloc(0);
  const sample = fc.constantFrom(...short.keys());
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it("a transcript has the same totals by every way to read it, and so has what another was glued to", async () => {
    await fc.assert(
      fc.asyncProperty(sample, share, sample, share, async (one, cut, other, from) => {
        const [first, second] = [bytesOf(one), bytesOf(other)];
        const head = first.subarray(0, Math.floor(first.length * cut));
        writeFileSync(path, head);
        allEqual(await totals());
        // A process that goes on after a crash writes behind half a line; a tool that cuts heads begins with one.
        appendFileSync(path, second.subarray(Math.floor(second.length * from * from)));
        allEqual(await totals());
      }),
      { numRuns: propertyRuns({ few: 10, all: 40 }) },
    );
  }, 60_000);

  it("any records have the same totals by every way to read them, however they are glued and cut", async () => {
    const count = fc.oneof(fc.nat(5000), fc.constantFrom(1e300, -3, 2.5, Number.POSITIVE_INFINITY, 2 ** 53));
    const record = fc.record({
      kind: fc.constantFrom("prompt", "answer", "progress", "summary"),
      id: fc.nat(6),
      output: count,
      isFinal: fc.boolean(),
      timestamp: fc.constantFrom<unknown>("2026-11-10T12:00:00.000Z", 1_790_000_000_000, "never", null),
      text: fc.string({ unit: fc.constantFrom("a", '"', "{", "}", "\\", "語", '{"type":', "\n") }),
      glue: fc.constantFrom("\n", "\n", "\n", "", " ", "\r\n", '{"type":"user","half":"'),
    });
    const share0to1 = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), share0to1, async (records, cut) => {
        const text = records
          .map(({ glue, ...each }, number) => JSON.stringify(toRecord(each, number)) + glue)
          .join("")
          // JSON has no word for it, but it can be written.
          .replaceAll('"output_tokens":null', '"output_tokens":1e999');
        const bytes = Buffer.from(text);
        writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * cut)));
        allEqual(await totals());
        writeFileSync(path, bytes);
        allEqual(await totals());
      }),
      { numRuns: propertyRuns({ few: 15, all: 60 }) },
    );
  }, 60_000);

  it("a transcript that grows piece by piece gives the same records as one that is read at once", async () => {
    await fc.assert(
      fc.asyncProperty(sample, fc.array(share, { maxLength: 6 }), async (name, shares) => {
        const bytes = bytesOf(name);
        const places = [...shares, 1].map((each) => Math.floor(bytes.length * each)).toSorted((a, b) => a - b);
        writeFileSync(path, "");
        const follower = createFollower(path);
        const followed: unknown[] = [];
        const counter = createUsageCounter();
        let from = 0;
        for (const place of places) {
          appendFileSync(path, bytes.subarray(from, place));
          from = place;
          if (!follower.look().hasMore) continue;
          for (const line of follower.readOn()) {
            for (const entry of entriesOf(line, path, line.number)) {
              followed.push(entry);
              const usage = entry.type === "record" ? usageLineOf(entry.record) : undefined;
              if (usage !== undefined) counter.add(usage, path);
            }
          }
          await index.refresh();
        }
        const { records, problems } = await load(path);
        const isRecord = (entry: unknown): boolean => (entry as { readonly type: string }).type === "record";
        expect(followed.filter(isRecord)).toEqual(records);
        expect(followed.length).toBe(records.length + problems.length);
        allEqual({ ...(await totals()), follower: counter.report().total });
      }),
      { numRuns: propertyRuns({ few: 10, all: 40 }) },
    );
  }, 60_000);
});

interface AnyRecord {
  readonly kind: string;
  readonly id: number;
  readonly output: number;
  readonly isFinal: boolean;
  readonly timestamp: unknown;
  readonly text: string;
}

function toRecord({ kind, id, output, isFinal, timestamp, text }: AnyRecord, number: number): object {
  const place = { sessionId: "s" };
  if (kind === "summary") return { type: "summary", summary: text, leafUuid: `u${id}` };
  if (kind === "prompt") return { ...prompt(`u${number}`, text, place), timestamp };
  const said = { ...answer(`u${number}`, text, { ...place, id: `m${id}`, output, isFinal }), timestamp };
  if (kind === "answer") return said;
  const { sessionId: _session, ...inner }: Readonly<Record<string, unknown>> = said;
  return {
    type: "progress",
    uuid: `g${number}`,
    sessionId: "s",
    data: { type: "agent_progress", message: inner, agentId: "a" },
  };
}
