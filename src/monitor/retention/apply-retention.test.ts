import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createId, eventFolder, journalPath, openEventJournal, retentionPath } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { openTranscriptTotals } from "../../transcript/internal.ts";
import { Workspace } from "../../workspace/internal.ts";
import { startMonitor } from "../monitor.ts";
import { applyRetention, type Expired } from "./apply-retention.ts";

const DAY_MS = 86_400_000;

let home: string;
let clock: ReturnType<typeof createFakeClock>;
let made = 0;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skein-retention-")));
  clock = createFakeClock(Date.now());
});

afterEach(async () => await rm(home, { recursive: true, force: true, maxRetries: 9 }));

async function age(path: string, days: number): Promise<void> {
  const at = new Date(clock.now() - days * DAY_MS);
  await utimes(path, at, at);
}

/** The journal of a run in which nothing has happened for so many days; one that goes on is left open. */
async function run(
  days: number,
  { kind = "turn", isGoing = false }: { readonly kind?: "turn" | "search"; readonly isGoing?: boolean } = {},
): Promise<string> {
  // An id begins with the time at which it was made.
  const id = createId({ now: () => Date.parse("2026-01-01") + (made += 1), sleep: async () => {} });
  const journal = await openEventJournal(home, { run: id, kind, workspace: join(home, "work"), directory: "/w" });
  if (!isGoing) journal[Symbol.dispose]();
  await age(journalPath(home, id), days);
  return id;
}

const runs = async (): Promise<readonly string[]> =>
  (await readdir(eventFolder(home))).map((name) => name.slice(0, -6)).toSorted();

function filesOf(expired: readonly Expired[]): unknown {
  return Object.fromEntries(expired.map(({ what, files }) => [what, files]));
}

describe("retention", () => {
  it("removes journals that are old or too many, the oldest first, and never one of a run that goes on", async () => {
    const [going, old, second, third] = [await run(99, { isGoing: true }), await run(91), await run(1), await run(1)];
    const wanted = await applyRetention({}, { home, clock, dryRun: true });
    expect(filesOf(wanted)).toEqual({ events: 1, searches: 0, "transcript-copies": 0 });
    expect(await runs()).toEqual([going, old, second, third]);
    expect(existsSync(retentionPath(home))).toBe(false);
    expect(await applyRetention({}, { home, clock })).toEqual(wanted);
    expect(await runs()).toEqual([going, second, third]);
    await applyRetention({ eventCount: 1 }, { home, clock });
    expect(await runs()).toEqual([going, third]);
  });

  it("lets as many journals lie there as are configured, also where a process begins a run", async () => {
    await applyRetention({ eventCount: 4 }, { home, clock });
    const all = [];
    for (let count = 0; count < 6; count += 1) all.push(await run(0));
    // Each hundredth run of a process looks at it.
    const begun = async (): Promise<boolean> => (await run(0), (await runs()).length < 6);
    let tries = 0;
    while (!(await begun()) && tries < 200) tries += 1;
    expect(tries).toBeLessThan(100);
  });

  it("removes journals of searches only where that is configured, and of no workspace in which one goes on", async () => {
    await using workspace = await Workspace.open(join(home, "work"), { home });
    const folder = join(workspace.home, "searches");
    await mkdir(folder);
    for (const [name, days] of [
      ["old.jsonl", 31],
      ["new.jsonl", 1],
    ] as const) {
      await writeFile(join(folder, name), "{}\n");
      await age(join(folder, name), days);
    }
    const searches = async (searchDays?: number): Promise<unknown> =>
      (await applyRetention({ searchDays }, { home, clock }))[1];
    expect(await searches()).toEqual({ what: "searches", files: 0, bytes: 0 });
    const search = await run(0, { kind: "search", isGoing: true });
    expect(await searches(30)).toEqual({ what: "searches", files: 0, bytes: 0 });
    await rm(journalPath(home, search));
    expect(await searches(30)).toEqual({ what: "searches", files: 1, bytes: 3 });
    expect(await readdir(folder)).toEqual(["new.jsonl"]);
  });

  it("removes copies of transcripts that are gone, and none that would be made again", async () => {
    const transcriptsHome = join(home, "projects");
    const path = join(transcriptsHome, "-w", "5a000001-0000-4000-8000-000000000001.jsonl");
    await mkdir(join(transcriptsHome, "-w"), { recursive: true });
    await writeFile(path, `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}}\n`);
    const totals = await openTranscriptTotals({ home, transcriptsHome, keepTranscripts: true });
    await totals.refresh();
    await totals.close();
    const later = createFakeClock(clock.now() + 40 * DAY_MS);
    const copies = async (): Promise<unknown> =>
      filesOf(await applyRetention({ transcriptCopyDays: 30 }, { home, transcriptsHome, clock: later }));
    expect(await copies()).toMatchObject({ "transcript-copies": 0 });
    await rm(path);
    expect(await copies()).toMatchObject({ "transcript-copies": 1 });
    expect(await copies()).toMatchObject({ "transcript-copies": 0 });
  });

  it("is applied by a server once a day, also by one that was started again, and not while another process does it", async () => {
    const appliedAt = async (): Promise<string> => {
      const text = await readFile(retentionPath(home), "utf8").catch(() => "{}");
      return (JSON.parse(text) as { readonly appliedAt?: string }).appliedAt ?? "";
    };
    const isGone = async (id: string): Promise<boolean> => !(await runs()).includes(id);
    const first = await run(8);
    {
      await using _ = await startMonitor({ home, port: 0, clock, retention: { eventDays: 7 } });
      while (!(await isGone(first)) || (await appliedAt()) === "") await setImmediate();
    }
    const once = await appliedAt();
    const second = await run(8);
    await using _ = await startMonitor({ home, port: 0, clock, retention: { eventDays: 7 } });
    for (let hour = 0; hour < 23; hour += 1) {
      clock.advance(DAY_MS / 24);
      await stat(home);
    }
    expect([await isGone(second), await appliedAt()]).toEqual([false, once]);
    const elsewhere = await takeLock(join(home, "retention.lock"));
    clock.advance(DAY_MS);
    for (let turn = 0; turn < 50; turn += 1) await stat(home);
    expect(await isGone(second)).toBe(false);
    await elsewhere[Symbol.asyncDispose]();
    while (!(await isGone(second)) || (await appliedAt()) === once) {
      clock.advance(DAY_MS / 24);
      await setImmediate();
    }
    expect(await appliedAt()).not.toBe(once);
  });
});
