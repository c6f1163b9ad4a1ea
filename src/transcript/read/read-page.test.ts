import fc from "fast-check";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "./load.ts";
import { readFirstPage, readLastPage } from "./read-page.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-transcript-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A conversation of prompts and of answers over two lines with a result between, some of them long. */
function conversation(turns: number, longEvery: number): string {
  const lines = Array.from({ length: turns }, (_, turn) => {
    const text = turn % longEvery === 0 ? "long ".repeat(30_000) : `text ${turn}`;
    const answer = (part: string, content: object) => ({
      type: "assistant",
      uuid: `a${turn}${part}`,
      message: { id: `m${turn}`, role: "assistant", content: [content] },
    });
    return [
      { type: "user", uuid: `p${turn}`, message: { role: "user", content: text } },
      { type: "attachment", uuid: `x${turn}`, attachment: { type: "date" } },
      answer("-1", { type: "tool_use", id: `t${turn}`, name: "Bash", input: {} }),
      {
        type: "user",
        uuid: `r${turn}`,
        message: { content: [{ type: "tool_result", tool_use_id: `t${turn}`, content: "ok" }] },
      },
      answer("-2", { type: "text", text }),
    ];
  });
  return lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

describe("pages", () => {
  it("give the whole conversation, from the end as from the start, whatever their size", async () => {
    const path = join(folder, "pages.jsonl");
    await writeFile(path, conversation(12, 5));
    const whole = (await load(path)).messages.map(({ uuid, text }) => [uuid, text]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (count) => {
        const backwards: unknown[] = [];
        let page = readLastPage(path, count);
        for (backwards.unshift(...page.messages); page.hasBefore; backwards.unshift(...page.messages)) {
          page = readLastPage(path, count, { before: page.start });
        }
        const forwards: unknown[] = [];
        page = readFirstPage(path, count);
        for (forwards.push(...page.messages); page.hasAfter; forwards.push(...page.messages)) {
          page = readFirstPage(path, count, { after: page.end });
        }
        const brief = (messages: readonly unknown[]) =>
          (messages as readonly { uuid: string; text: string }[]).map(({ uuid, text }) => [uuid, text]);
        expect(brief(backwards)).toEqual(whole);
        expect(brief(forwards)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it("count prompts and answers, and do not cut an answer apart", async () => {
    const path = join(folder, "count.jsonl");
    await writeFile(path, conversation(3, 100));
    const page = readLastPage(path, 2);
    expect(page.messages.map(({ kind, uuids }) => [kind, uuids])).toEqual([
      ["prompt", ["p2"]],
      ["answer", ["a2-1", "a2-2"]],
      ["tool-result", ["r2"]],
    ]);
    expect(page.messages[1]?.toolUses[0]?.result?.text).toBe("ok");
    expect([page.hasBefore, page.hasAfter]).toEqual([true, false]);
  });

  it("of an empty file are empty, and half a last line is not in them", async () => {
    const path = join(folder, "short.jsonl");
    await writeFile(path, "");
    expect(readLastPage(path, 5)).toEqual({
      messages: [],
      records: [],
      start: 0,
      end: 0,
      hasBefore: false,
      hasAfter: false,
    });
    await writeFile(path, `${conversation(1, 100)}{"type":"user","mess`);
    expect(readLastPage(path, 5).messages).toHaveLength(3);
    expect(() => readLastPage(join(folder, "gone.jsonl"), 5)).toThrow(expect.objectContaining({ kind: "filesystem" }));
  });
});
