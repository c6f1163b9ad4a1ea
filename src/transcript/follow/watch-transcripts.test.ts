import fc from "fast-check";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allSamples } from "../../../test/support/transcript-samples.ts";
import { answer, linesOf, prompt } from "../../../test/support/write-history.ts";
import { load } from "../read/load.ts";
import { scanUsage } from "../scan/scan-usage.ts";
import { usageOf } from "../usage/transcript-usage.ts";
import { createUsageCounter } from "../usage/usage-counter.ts";
import { type WatchEvent, type WatchOptions, watchTranscripts } from "./watch-transcripts.ts";
import { createWatchedFiles } from "./watched-files.ts";

let base: string;
let stop: AbortController;
let watched: AsyncGenerator<WatchEvent, void, void>;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "skein-watch-"));
  chmodSync(base, 0o755);
  mkdirSync(join(base, "-shop"));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await watched.return();
  rmSync(base, { recursive: true, force: true });
});

const said = (text: string, cwd = "/shop"): string => linesOf([prompt(`u-${text}`, text, { sessionId: "s1", cwd })]);
const file = (name = "s1"): string => join(base, "-shop", `${name}.jsonl`);

/** Begins to watch; what is there by now is old. */
async function begin(options: WatchOptions = {}): Promise<void> {
  watched = watchTranscripts({ base, signal: stop.signal, pollMs: 5, ...options });
  const mark = join(base, "-mark");
  mkdirSync(mark, { recursive: true });
  // It cannot be seen from outside when the watching has begun: a mark is written until it is told.
  let count = 0;
  const writing = setInterval(() => writeFileSync(join(mark, `${(count += 1)}.jsonl`), said("mark", "/mark")), 10);
  for await (const event of untilEnd()) if (textOf(event) === "mark") break;
  clearInterval(writing);
}

/** The events without ending the generator. */
async function* untilEnd(): AsyncGenerator<WatchEvent> {
  for (let next = await watched.next(); next.done !== true; next = await watched.next()) yield next.value;
}

const textOf = (event: WatchEvent): string => (event.type === "record" ? event.text : event.type);

/** What is told up to the record with this text, marks left out. */
async function upTo(text: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const event of untilEnd()) {
    if (textOf(event) === "mark") continue;
    texts.push(textOf(event));
    if (textOf(event) === text) return texts;
  }
  return texts;
}

describe("watching", () => {
  it("gives what is said in any session from now on, of the project that is meant", async () => {
    writeFileSync(file("old"), said("said before"));
    await begin();
    stop.abort();
    await watched.return();
    stop = new AbortController();
    watched = watchTranscripts({ base, project: "shop", signal: stop.signal, pollMs: 5 });
    const first = watched.next();
    const talking = setInterval(() => appendFileSync(file("old"), said("elsewhere", "/other") + said("now")), 20);
    expect((await first).value).toMatchObject({ type: "record", path: file("old"), text: "now", project: "/shop" });
    clearInterval(talking);
    appendFileSync(file("old"), '{"type":"user"');
    writeFileSync(file("new"), said("a new session"));
    expect((await upTo("a new session")).filter((text) => text !== "now")).toEqual(["a new session"]);
    const none = watched.next();
    stop.abort();
    expect((await none).done).toBe(true);
  });

  it("gives a record whole of which half was there when it began, and one that had no line feed not again", async () => {
    const half = said("half of it");
    writeFileSync(file("half"), said("before") + half.slice(0, 40));
    writeFileSync(file("whole"), said("not again").trimEnd());
    await begin();
    appendFileSync(file("half"), half.slice(40));
    expect(await upTo("half of it")).toEqual(["half of it"]);
    appendFileSync(file("whole"), `\n${said("next").trimEnd()}`);
    expect(await upTo("next")).toEqual(["next"]);
  });

  it("reads a file from its start that was cut, replaced or made anew, however long it is", async () => {
    writeFileSync(file(), said("a long text that was there before") + said("and another"));
    await begin();
    appendFileSync(file(), said("one"));
    expect(await upTo("one")).toEqual(["one"]);
    truncateSync(file(), 0);
    appendFileSync(file(), said("cut"));
    expect(await upTo("cut")).toEqual(["cut"]);
    writeFileSync(`${file()}.tmp`, said("replaced 1") + said("replaced 2"));
    renameSync(`${file()}.tmp`, file());
    expect(await upTo("replaced 2")).toEqual(["replaced 1", "replaced 2"]);
    rmSync(file());
    writeFileSync(file(), said("made anew 1") + said("made anew 2") + said("made anew 3"));
    expect(await upTo("made anew 3")).toEqual(["made anew 1", "made anew 2", "made anew 3"]);
    // What is told of another file comes after the reading of this one has ended.
    writeFileSync(file("other"), said("between"));
    await upTo("between");
    writeFileSync(
      file(),
      said("written over and longer than it was 1") + said("written over 2").repeat(9) + said("end"),
    );
    expect((await upTo("end"))[0]).toBe("written over and longer than it was 1");
  });

  it("tells once of a file that it may not read, goes on with the others, and with it when it may", async () => {
    writeFileSync(file("closed"), said("before"));
    await begin();
    await asOrdinaryUser(async () => {
      const told = upTo("open");
      await asRoot(() => {
        chmodSync(file("closed"), 0);
        appendFileSync(file("closed"), said("secret 1"));
      });
      await new Promise((resolve) => setTimeout(resolve, 30));
      await asRoot(() => appendFileSync(file("closed"), said("secret 2")));
      await new Promise((resolve) => setTimeout(resolve, 30));
      await asRoot(() => writeFileSync(file("open"), said("open")));
      expect(await told).toEqual(["skipped", "open"]);
      await asRoot(() => chmodSync(file("closed"), 0o644));
      expect(await upTo("secret 2")).toEqual(["secret 1", "secret 2"]);
    });
  });

  it("tells of broken lines, and gives what sub-agents say, in files of their own or in progress records", async () => {
    writeFileSync(file(), said("before"));
    await begin();
    appendFileSync(file(), `{"type":"user", broken\n${said("main")}`);
    expect(await upTo("main")).toEqual(["broken", "main"]);
    const folder = join(base, "-shop", "s1", "subagents");
    mkdirSync(folder, { recursive: true });
    const side = { sessionId: "s1", agentId: "a1", isSidechain: true };
    writeFileSync(join(folder, "agent-a1.jsonl"), linesOf([answer("x1", "from below", side)]));
    expect(await upTo("from below")).toEqual(["from below"]);
    const progress = allSamples().find(({ name }) => name === "v2.1.29-agent-progress")?.bytes ?? "";
    writeFileSync(file("progress"), progress);
    expect(await upTo("One kilogramme.")).toContain("A kilogramme of feathers.");
  });

  it("comes to the same totals as a scan, whatever is written in whichever pieces", async () => {
    await begin();
    for (const { name, bytes } of allSamples()) {
      const path = file(name);
      const counter = createUsageCounter();
      const done = (async () => {
        for await (const event of untilEnd()) {
          if (textOf(event) === `end of ${name}`) return;
          if (event.type === "record" && event.usage !== undefined) counter.add(event.usage, event.path);
        }
      })();
      for (let at = 0, size = 7; at < bytes.length; at += size, size = Math.ceil(size * 2.3)) {
        appendFileSync(path, bytes.subarray(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      appendFileSync(path, `\n${said(`end of ${name}`)}`);
      await done;
      expect([name, counter.report().total]).toEqual([name, (await scanUsage([path])).total]);
    }
  });
});

describe("watching random pieces", () => {
  it("comes to the same totals as a scan", async () => {
    await begin();
    const samples = new Map(
      allSamples()
        .filter(({ bytes }) => bytes.length < 60_000)
        .map(({ name, bytes }) => [name, bytes]),
    );
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples.keys()), fc.array(share, { maxLength: 5 }), async (name, shares) => {
        const [bytes, path] = [samples.get(name) ?? Buffer.alloc(0), file(`run-${(run += 1)}`)];
        const end = `end ${run}`;
        const counter = createUsageCounter();
        const done = (async () => {
          for await (const event of untilEnd()) {
            if (textOf(event) === end) return;
            if (event.type === "record" && event.usage !== undefined) counter.add(event.usage, event.path);
          }
        })();
        let from = 0;
        for (const place of [...shares, 1].map((each) => Math.floor(bytes.length * each)).toSorted((a, b) => a - b)) {
          appendFileSync(path, bytes.subarray(from, place));
          from = place;
          await new Promise((resolve) => setTimeout(resolve, 6));
        }
        appendFileSync(path, `\n${said(end)}`);
        await done;
        expect(counter.report().total).toEqual((await scanUsage([path])).total);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it("comes to the same totals as load and a scan where the last line has no line feed, or is cut", async () => {
    await begin();
    const samples = new Map(
      allSamples()
        .filter(({ bytes }) => bytes.length < 60_000)
        .map(({ name, bytes }) => [name, Buffer.from(bytes.toString("utf8").trimEnd())]),
    );
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    // Half of them are cut at the end of their last record, which has no line feed.
    const end = fc.oneof(fc.constant(1), share);
    const counter = { current: createUsageCounter() };
    const texts: string[] = [];
    const reading = (async () => {
      for await (const event of untilEnd()) {
        texts.push(textOf(event));
        if (event.type === "record" && event.usage !== undefined) counter.current.add(event.usage, event.path);
      }
    })();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples.keys()), share, end, async (name, pause, cut) => {
        const [bytes, path] = [samples.get(name) ?? Buffer.alloc(0), file(`cut-${(run += 1)}`)];
        counter.current = createUsageCounter();
        const length = Math.floor(bytes.length * cut);
        const middle = Math.floor(length * pause);
        writeFileSync(path, bytes.subarray(0, middle));
        await new Promise((resolve) => setTimeout(resolve, 6));
        appendFileSync(path, bytes.subarray(middle, length));
        const { total } = await scanUsage([path]);
        expect(usageOf(await load(path)).total).toEqual(total);
        await vi.waitFor(() => expect(counter.current.report().total).toEqual(total), { interval: 5, timeout: 30_000 });
        // What follows is read as if it had been there at once, and nothing is told twice.
        appendFileSync(path, `\n${said(`after ${run}`)}`);
        await vi.waitFor(() => expect(texts).toContain(`after ${run}`), { interval: 5, timeout: 30_000 });
        expect(counter.current.report().total).toEqual((await scanUsage([path])).total);
      }),
      { numRuns: 40 },
    );
    stop.abort();
    await reading;
  }, 60_000);
});

describe("what is looked at", () => {
  it("is a fixed number of files each time, in turn, besides those that were written", async () => {
    await begin();
    for (let index = 0; index < 50; index += 1) writeFileSync(file(`n${index}`), said("old"));
    const files = createWatchedFiles(join(base), 10);
    try {
      await files.find(0);
      expect(files.due(0, true).length).toBeGreaterThanOrEqual(50);
      const seen = new Set<string>();
      for (let round = 0; round < 8; round += 1) {
        const due = files.due(0);
        expect(due.length).toBeLessThanOrEqual(10);
        for (const { path } of due) seen.add(path);
      }
      expect(seen.size).toBeGreaterThanOrEqual(50);
      const [hot] = files.due(0);
      if (hot !== undefined) files.heat(hot, 0);
      for (let round = 0; round < 8; round += 1) expect(files.due(1)).toContain(hot);
      expect(Array.from({ length: 4 }, () => files.due(3_600_000).includes(hot as never))).toContain(false);
    } finally {
      files.close();
    }
  });
});

/** Root may read everything: for the time of a call it is nobody. */
async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** Does something as who the test was started by, at once. */
async function asRoot(work: () => void): Promise<void> {
  const user = process.geteuid?.() ?? 0;
  process.seteuid?.(process.getuid?.() ?? 0);
  work();
  process.seteuid?.(user);
  await Promise.resolve();
}
