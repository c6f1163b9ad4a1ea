import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readOn } from "./journal-reader.ts";

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-journal-"));
});

afterAll(() => rm(root, { recursive: true }));

const lineOf = (number: number, length = 10): string =>
  `${JSON.stringify({ type: "text", timestamp: "2026-11-19T00:00:00.000Z", number, text: "x".repeat(length) })}\n`;

it("reads whole lines from where it was, however long they are and many at once, and leaves half a line for the next time", async () => {
  const path = join(root, "journal.jsonl");
  expect(await readOn({ path, offset: 0, line: 0 })).toEqual({ lines: [], offset: 0 });
  const lengths = [10, 20_000, 10, 300_000, 16_000, ...Array.from({ length: 500 }, () => 100)];
  const texts = lengths.map((length, number) => lineOf(number + 1, length));
  await writeFile(path, texts.slice(0, 1).join(""));
  const one = await readOn({ path, offset: 0, line: 0 });
  expect([one.lines.map(({ line }) => line), one.offset]).toEqual([[1], texts[0]?.length]);
  await appendFile(path, texts.slice(1).join("") + lineOf(506).slice(0, 30));
  const [all, some, far] = await Promise.all([
    readOn({ path, offset: one.offset, line: 1 }),
    readOn({ path, offset: 0, line: 0 }, 3),
    readOn({ path, offset: 0, line: 0 }),
  ]);
  const events = texts.map((text, at) => ({ line: at + 1, event: JSON.parse(text) as unknown }));
  expect(all).toEqual({ lines: events.slice(1), offset: texts.join("").length });
  expect(some).toEqual({ lines: events.slice(0, 3), offset: texts.slice(0, 3).join("").length });
  expect(far).toEqual({ lines: events, offset: texts.join("").length });
  await appendFile(path, lineOf(506).slice(30));
  expect((await readOn({ path, offset: all.offset, line: 505 })).lines.map(({ line }) => line)).toEqual([506]);
});
