import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillDisk, mountSmallDisk } from "../../../test/support/small-disk.ts";
import { linesOf, prompt, writeTranscript, type WrittenRecord } from "../../../test/support/write-history.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import type { RefreshProgress } from "../totals/transcript-totals.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

let root: string;
let index: TranscriptIndex;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-hard-times-"));
  index = await open("home");
});

afterEach(async () => {
  await index.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

const open = (home: string): Promise<TranscriptIndex> =>
  openTranscriptIndex({ home: join(root, home), transcriptsHome: join(root, "projects") });
const path = (name: string): string => join(root, "projects", "-work-app", `${name}.jsonl`);

/** About three megabytes, so that the index takes them in in steps. */
function many(word: string, sessionId: string): readonly WrittenRecord[] {
  return Array.from({ length: 3000 }, (_, n) => prompt(`${word}${n}`, `${word} ${"x".repeat(800)}`, { sessionId }));
}

async function found(words: string): Promise<number> {
  return (await index.search(words, { limit: 10_000 })).hits.length;
}

/** Does something once, after the first step of an indexing. */
function onFirstStep(change: () => void): Parameters<TranscriptIndex["refresh"]>[0] {
  let isDone = false;
  return {
    onProgress({ step }) {
      if (step !== "indexing" || isDone) return;
      isDone = true;
      change();
    },
  };
}

describe("a file that changes while its words are taken in", () => {
  it.each([
    [
      "written anew, longer",
      () => writeFileSync(path("s"), linesOf([...many("later", "s"), ...many("end", "s")])),
      2000,
    ],
    ["written anew, shorter", () => writeFileSync(path("s"), linesOf(many("later", "s").slice(0, 1500))), 1500],
    ["cut", () => truncateSync(path("s"), linesOf(many("early", "s").slice(0, 100)).length), 0],
  ])("is found as it is, after the next refresh, where it is %s", async (_how, change, least) => {
    writeTranscript(path("s"), many("early", "s"));
    await index.refresh(onFirstStep(change));
    await index.refresh();
    await using fresh = await open("fresh");
    await fresh.refresh();
    for (const word of ["early", "later", "end"]) {
      const { hits } = await fresh.search(word, { limit: 10_000 });
      expect([word, await found(word)]).toEqual([word, hits.length]);
    }
    expect(await found("later")).toBeGreaterThanOrEqual(least);
  });
});

describe("what is taken in", () => {
  it("is the newest first, so that a refresh that is short of time has what is looked for most", async () => {
    for (const [age, name] of ["newest", "middle", "oldest"].entries()) {
      // More than a batch in all.
      writeTranscript(path(name), Array.from({ length: 5 }, () => many(name, name)).flat());
      utimesSync(path(name), 1e9 - age * 1000, 1e9 - age * 1000);
    }
    const stop = new AbortController();
    const stopped = index.refresh({ ...onFirstStep(() => stop.abort()), signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ kind: "cancelled" });
    // The newest two are one batch.
    expect(await found("oldest")).toBe(0);
    const { missing } = await index.refresh({ patienceMs: 0 });
    expect(missing.files).toBe(3);
    expect((await index.refresh()).missing).toEqual({ files: 0, bytes: 0 });
    // Of so many only the newest are ranked, whichever were taken in first.
    const { hits, isPartial } = await index.search("x*", { limit: 10_000 });
    expect([isPartial, new Set(hits.map(({ sessionId }) => sessionId))]).toEqual([true, new Set(["newest"])]);
  });
});

it("on a full disk, what was taken in stays, and the rest follows when there is space", async (test) => {
  const home = join(root, "small");
  mkdirSync(home);
  const disk = mountSmallDisk(home, "24m");
  if (disk === undefined) return test.skip("a small disk can only be made by root, where mounts are allowed");
  const small = await open("small");
  try {
    // More than a transaction, then words that take much space.
    const same = Array.from({ length: 6 }, () => many("same", "s")).flat();
    const words = (n: number): string => Array.from({ length: 60 }, (_, m) => `word${n}x${m}`).join(" ");
    writeTranscript(path("s"), [
      ...same,
      ...same.slice(0, 3000).map((_, n) => prompt(`w${n}`, words(n), { sessionId: "s" })),
    ]);
    let isFull = false;
    const onProgress = ({ step, bytesDone }: RefreshProgress): void => {
      if (step !== "indexing" || bytesDone < 17 * 1024 * 1024 || isFull) return;
      isFull = true;
      fillDisk(home);
    };
    const FULL = { kind: "resource_exhausted", resource: "disk" };
    await expect(small.refresh({ onProgress })).rejects.toMatchObject(FULL);
    const { hits, missing } = await small.search("same", { limit: 1 });
    expect([hits.length, missing.files]).toEqual([1, 1]);
    expect(missing.bytes).toBeLessThan(statSync(path("s")).size);
    await expect(small.refresh()).rejects.toMatchObject(FULL);
    rmSync(join(home, "filler"));
    expect(await small.refresh()).toMatchObject({ bytesRead: missing.bytes, missing: { files: 0, bytes: 0 } });
    for (const word of ["word0x0", "word1500x59", "word2999x7"]) {
      expect([word, (await small.search(word)).hits.length]).toEqual([word, 1]);
    }
  } finally {
    await small.close();
    disk.unmount();
  }
});
