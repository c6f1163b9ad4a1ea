import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepUpTo, measureKept, NOT_KEPT, readKept, unpackKept, type KeptState } from "./kept-file.ts";

let root: string;
let source: string;
let copy: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-kept-"));
  source = join(root, "source.jsonl");
  copy = join(root, "kept", "source.jsonl.gz");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a kept copy", () => {
  it("holds what was added in any number of parts, and gives any range of it", async () => {
    const parts = fc.array(fc.integer({ min: 1, max: 700_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, fc.double({ min: 0, max: 1, noNaN: true }), async (sizes, place) => {
        writeFileSync(source, "");
        let state: KeptState = NOT_KEPT;
        let size = 0;
        for (const [index, length] of sizes.entries()) {
          appendFileSync(source, `${index} `.repeat(length).slice(0, length));
          state = await keepUpTo(source, copy, state, (size += length));
        }
        const whole = readFileSync(source);
        const start = Math.floor(place * size);
        expect(readKept(copy, start, 1000).equals(whole.subarray(start, start + 1000))).toBe(true);
        expect([state, statSync(copy).size]).toEqual([measureKept(copy), state.keptBytes]);
        await unpackKept(copy, join(root, "again"));
        expect(readFileSync(join(root, "again")).equals(whole)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it("is one block for many small additions, and a file that gzip reads", async () => {
    let state: KeptState = NOT_KEPT;
    let text = "";
    for (let line = 0; line < 50; line += 1) {
      appendFileSync(source, `line ${line}\n`);
      text += `line ${line}\n`;
      state = await keepUpTo(source, copy, state, text.length);
    }
    expect([state.keptLastBlock, state.keptRawBytes]).toEqual([0, text.length]);
    expect(execFileSync("gzip", ["-dc", copy], { encoding: "utf8" })).toBe(text);
    expect(statSync(copy).mode & 0o077).toBe(0);
  });

  it.each([
    ["was deleted", () => rmSync(copy)],
    ["was cut", () => truncateSync(copy, 30)],
    ["was overwritten", () => writeFileSync(copy, "nonsense".repeat(1000))],
  ])("is made anew where it %s", async (_how, damage) => {
    writeFileSync(source, "one\ntwo\n");
    const state = await keepUpTo(source, copy, NOT_KEPT, 8);
    damage();
    appendFileSync(source, "three\n");
    await keepUpTo(source, copy, state, 14);
    expect(readKept(copy, 0, 100).toString()).toBe("one\ntwo\nthree\n");
  });

  it("that cannot be written is told by its kind", async () => {
    writeFileSync(source, "one\n");
    writeFileSync(join(root, "kept"), "in the way");
    await expect(keepUpTo(source, copy, NOT_KEPT, 4)).rejects.toMatchObject({ kind: "filesystem", target: copy });
  });
});
