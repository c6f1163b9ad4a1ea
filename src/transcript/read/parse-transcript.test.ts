import fc from "fast-check";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawOf } from "../records/transcript-record.ts";
import { scanFile } from "../scan/scan-file.ts";
import { scanUsage } from "../scan/scan-usage.ts";
import { load } from "./load.ts";
import { parseTranscript, type TranscriptEntry } from "./parse-transcript.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-transcript-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function parse(bytes: Buffer | string): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  const chunks = (async function* () {
    await Promise.resolve();
    const all = Buffer.from(bytes as string);
    for (let at = 0; at < all.length; at += 7) yield all.subarray(at, at + 7);
  })();
  for await (const entry of parseTranscript(chunks, { path: "x.jsonl" })) entries.push(entry);
  return entries;
}

/** Entries in short: the record itself, or the problem's kind and place. */
function brief(entries: readonly TranscriptEntry[]): readonly unknown[] {
  return entries.map((entry) =>
    entry.type === "record"
      ? rawOf(entry.record)
      : `${entry.problem.kind} ${entry.problem.line}:${entry.problem.offset}+${entry.problem.lengthBytes}`,
  );
}

const user = (uuid: string) => ({
  type: "user",
  uuid,
  sessionId: "s",
  message: { role: "user", content: `a line separator \u2028 stays ${uuid}` },
});
const line = (value: unknown): string => JSON.stringify(value);

describe("parseTranscript", () => {
  it("reads what is around a bad line, and says where the bad one is", async () => {
    const text = `${line(user("a"))}\n{"type":"user",oops\n\n42\n${line(user("b"))}\n`;
    const start = Buffer.byteLength(line(user("a"))) + 1;
    expect(brief(await parse(text))).toEqual([
      user("a"),
      `broken 2:${start}+19`,
      `not-an-object 4:${start + 21}+2`,
      user("b"),
    ]);
  });

  it("reads both of two records on one line, and a record that is glued to half of another", async () => {
    const half = line({ ...user("h"), message: { role: "user", content: [{ type: "text", text: "cut" }] } }).slice(
      0,
      -20,
    );
    const text = `${line(user("a"))}${line(user("b"))}\n${half}${line(user("c"))}\n`;
    const start = Buffer.byteLength(line(user("a")) + line(user("b"))) + 1;
    expect(brief(await parse(text))).toEqual([user("a"), user("b"), `broken 2:${start}+${half.length}`, user("c")]);
  });

  it("takes half a last line for a record that is still being written", async () => {
    const text = `${line(user("a"))}\n${line(user("b"))}`;
    expect(brief(await parse(text))).toEqual([user("a"), user("b")]);
    expect(brief(await parse(text.slice(0, -5)))).toEqual([user("a")]);
  });

  it("keeps records whole that it does not know, or that are not as it knows them", async () => {
    const unknown = { type: "from-the-future", fields: [1, { two: null }] };
    const odd = { type: "user", uuid: "odd", message: 7 };
    const entries = await parse(`${line(unknown)}\n${line(odd)}\n`);
    expect(brief(entries)).toEqual([unknown, expect.stringMatching(/^shape 2:/u), odd]);
    expect(entries.map((entry) => (entry.type === "record" ? entry.record.type : ""))).toEqual([
      "unknown",
      "",
      "unknown",
    ]);
  });

  it("reads a file that begins with a byte order mark, and one with carriage returns", async () => {
    expect(brief(await parse(`\uFEFF${line(user("a"))}\r\n${line(user("b"))}\r\n`))).toEqual([user("a"), user("b")]);
  });

  it("gives any JSON record back as it was", async () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.array(record), async (records) => {
        // What JSON itself does not keep, such as -0, is no concern of ours.
        const kept = records.map((value) => JSON.parse(line(value)) as unknown);
        const entries = await parse(kept.map((value) => `${line(value)}\n`).join(""));
        expect(entries.map((entry) => (entry.type === "record" ? rawOf(entry.record) : entry))).toEqual(kept);
      }),
      { numRuns: 100 },
    );
  });

  it("refuses a file that is not there with a typed error", async () => {
    const missing = join(folder, "missing.jsonl");
    await expect(parseTranscript(missing).next()).rejects.toMatchObject({ kind: "filesystem", target: missing });
    await expect(load(missing)).rejects.toMatchObject({ kind: "filesystem", target: missing });
    await expect(load(folder)).rejects.toMatchObject({ kind: "filesystem" });
  });
});

describe("a damaged file", () => {
  const answer = (id: string, parentUuid: string | null) => ({
    parentUuid,
    type: "assistant",
    uuid: `u-${id}`,
    sessionId: "s",
    timestamp: "2026-11-15T10:00:00.000Z",
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-5-5",
      content: [{ type: "text", text: `"usage" is {not} here \\ ${id}` }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 10 },
    },
  });
  const lines = [line(user("p")), line(answer("m1", "p")), line(answer("m2", "u-m1")), line(answer("m3", "u-m2"))];
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  const damage = fc.record({
    kind: fc.constantFrom("flip" as const, "cut" as const, "insert" as const),
    at: fc.nat({ max: bytes.length - 1 }),
    value: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  });

  it("never stops the readers, and lines that were not touched are read", async () => {
    const path = join(folder, "damaged.jsonl");
    await fc.assert(
      fc.asyncProperty(damage, async ({ kind, at, value }) => {
        const tail = kind === "insert" ? at : at + (kind === "flip" ? value.length : 1 + (value[0] ?? 0));
        const middle = kind === "cut" ? Buffer.alloc(0) : Buffer.from(value);
        const damaged = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(tail)]);
        await writeFile(path, damaged);
        const whole = damaged.toString("latin1").split("\n");
        const untouched = lines.filter((text) => whole.includes(Buffer.from(text).toString("latin1")));
        const transcript = await load(path);
        const read = transcript.records.map(({ record }) => line(rawOf(record)));
        expect(read).toEqual(expect.arrayContaining(untouched));
        expect([...scanFile(path)].length).toBeGreaterThanOrEqual(untouched.length);
        const answers = untouched.filter((text) => text.includes('"type":"assistant"'));
        expect((await scanUsage([path])).total.messages).toBeGreaterThanOrEqual(answers.length);
      }),
      { numRuns: 200 },
    );
  });
});
