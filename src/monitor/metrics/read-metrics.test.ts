import { mkdir, mkdtemp, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordTurns } from "../../../test/support/record-turns.ts";
import { createFakeClock } from "../../testing/index.ts";
import { addNote, createFigureReader, type FigureReader, TraceIndex } from "../../trace/internal.ts";
import { pullStates, Workspace } from "../../workspace/internal.ts";
import type { RunSummary } from "../runs/run-data.ts";
import { readMetrics, readMetricsSeries, type MetricsSource } from "./read-metrics.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-11-15T22:30:00.000Z");
const NOW_MS = START_MS + 4 * HOUR_MS;
const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 60 };

let root: string;
let home: string;
let figures: FigureReader;
let source: MetricsSource;
let ids: readonly string[];

const paths = (name: string): string => join(root, name);

/** Records turns in a workspace, and closes it. */
async function record(name: string, turns: Parameters<typeof recordTurns>[1]): Promise<readonly string[]> {
  await using workspace = await Workspace.open(paths(name), { home });
  return (await recordTurns(workspace, turns)).map(({ id }) => id);
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-metrics-")));
  home = join(root, "home");
  await mkdir(paths("app"));
  ids = await record("app", [
    { prompt: "1", atMs: START_MS, durationMs: 1000, usage: USAGE, tools: ["Bash", "Edit"], costUsd: 0.5 },
    { prompt: "2", atMs: START_MS + 1, durationMs: 3000.25, usage: USAGE, tools: ["Bash"], costUsd: 0.25 },
  ]);
  await record("app", [
    {
      prompt: "3",
      atMs: START_MS + 2 * HOUR_MS,
      durationMs: 2000,
      usage: USAGE,
      model: "claude-haiku-4-5",
      outcome: "failed",
      error: { name: "TimeoutError", kind: "timeout", message: "late", retryable: true },
      costUsd: 1,
    },
  ]);
  await record("gone", [
    { prompt: "4", atMs: START_MS + 3 * HOUR_MS, usage: USAGE, scenario: "demo", costUsd: 8, outcome: "cancelled" },
  ]);
  await using app = await Workspace.open(paths("app"), { home });
  await addNote(app, ids[0] as Parameters<typeof addNote>[1], { rewards: { tests: 0.25 } });
  await addNote(app, ids[1] as Parameters<typeof addNote>[1], { rewards: { tests: 1 / 3 } });
  await rename(paths("gone"), paths("moved"));
  figures = createFigureReader(home);
  source = { figures, clock: createFakeClock(NOW_MS) };
});

afterAll(async () => {
  await figures[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

describe("metrics", () => {
  it("sum up all workspaces, those too whose directory is gone", async () => {
    expect(await readMetrics(source)).toEqual({
      fromMs: START_MS,
      toMs: NOW_MS,
      total: {
        turns: 4,
        completed: 2,
        failed: 1,
        cancelled: 1,
        interrupted: 0,
        errorRate: 0.25,
        errors: [{ kind: "timeout", turns: 1, rate: 0.25 }],
        turnTime: { p50Ms: 1000, p95Ms: 3000.25, p99Ms: 3000.25, meanMs: 6100.25 / 4, longestMs: 3000.25 },
        turnsPerHour: 1,
        usage: { inputTokens: 40, outputTokens: 80, cacheReadTokens: 120, cacheWriteTokens: 240 },
        cacheHitShare: 0.3,
        costUsd: 1.75,
        offlineCostUsd: 8,
        toolCalls: 3,
        toolErrors: 0,
        tools: [
          { tool: "Bash", calls: 2, errors: 0, errorRate: 0 },
          { tool: "Edit", calls: 1, errors: 0, errorRate: 0 },
        ],
        branchPoints: 0,
        branches: 0,
        rewards: [
          {
            name: "tests",
            count: 2,
            mean: (0.25 + 1 / 3) / 2,
            lowest: 0.25,
            p25: 0.25,
            p50: 0.25,
            p75: 1 / 3,
            best: { value: 1 / 3, stateId: ids[1], workspace: paths("app") },
          },
        ],
      },
      groups: [],
      skipped: [],
    });
    expect((await readMetrics(source, { includeOffline: true })).total.costUsd).toBe(9.75);
  });

  it("are told apart by workspace and model, and of a part of them alone", async () => {
    const turnsBy = async (by: "workspace" | "model"): Promise<unknown> =>
      (await readMetrics(source, { by })).groups.map(({ key, metrics }) => [key, metrics.turns, metrics.costUsd]);
    expect(await turnsBy("workspace")).toEqual([
      [paths("app"), 3, 1.75],
      [paths("gone"), 1, 0],
    ]);
    expect(await turnsBy("model")).toEqual([
      ["claude-sonnet-5-5", 3, 0.75],
      ["claude-haiku-4-5", 1, 1],
    ]);
    const turns = async (query: Parameters<typeof readMetrics>[1]): Promise<number> =>
      (await readMetrics(source, query)).total.turns;
    expect(await turns({ workspace: paths("app") })).toBe(3);
    expect(await turns({ model: "claude-haiku-4-5" })).toBe(1);
    expect(await turns({ from: START_MS + 1, to: START_MS + 2 * HOUR_MS })).toBe(1);
    await expect(readMetrics(source, { from: 2, to: 1 })).rejects.toMatchObject({ kind: "usage", target: "to" });
  });

  it("make a series of hours and days, which begin where they do in a time zone", async () => {
    const from = START_MS;
    const buckets = async (query: { bucket: "hour" | "day"; timeZone?: string }): Promise<unknown> =>
      (await readMetricsSeries(source, { from, to: NOW_MS, ...query })).buckets.map(({ fromMs, metrics }) => [
        new Date(fromMs).toISOString().slice(11, 16),
        metrics.turns,
      ]);
    expect(await buckets({ bucket: "hour", timeZone: "UTC" })).toEqual([
      ["22:30", 2],
      ["23:00", 0],
      ["00:00", 1],
      ["01:00", 1],
      ["02:00", 0],
    ]);
    expect(await buckets({ bucket: "day", timeZone: "UTC" })).toEqual([
      ["22:30", 2],
      ["00:00", 2],
    ]);
    expect(await buckets({ bucket: "day", timeZone: "Asia/Kolkata" })).toEqual([["22:30", 4]]);
    expect(await buckets({ bucket: "hour", timeZone: "Asia/Kolkata" })).toEqual([
      ["22:30", 2],
      ["23:30", 0],
      ["00:30", 1],
      ["01:30", 1],
    ]);
    const tooLong = readMetricsSeries(source, { from: 0, to: NOW_MS, bucket: "hour" });
    await expect(tooLong).rejects.toMatchObject({ kind: "usage", target: "from" });
  });

  it("are the same after a restart, and where every index was deleted and is made anew", async () => {
    const before = await readMetrics(source, { by: "workspace" });
    await using again = createFigureReader(home);
    expect(await readMetrics({ ...source, figures: again }, { by: "workspace" })).toEqual(before);
    for (const { store } of (await again.read({ spans: [] })).stores) await rm(join(store.home, "index.sqlite"));
    await using fresh = createFigureReader(home);
    expect(await readMetrics({ ...source, figures: fresh }, { by: "workspace" })).toEqual(before);
  });

  it("see what is recorded, rewarded and pulled since, and count a state that two workspaces have once", async () => {
    const { total } = await readMetrics(source);
    await using app = await Workspace.open(paths("app"), { home });
    await addNote(app, ids[0] as Parameters<typeof addNote>[1], { rewards: { tests: 2 } });
    expect((await readMetrics(source)).total.rewards[0]?.best).toMatchObject({ value: 2, stateId: ids[0] });
    await mkdir(paths("copy"));
    await using copy = await Workspace.open(paths("copy"), { home });
    await pullStates(copy, app.gitDirectory);
    await recordTurns(copy, [{ prompt: "own", atMs: START_MS }]);
    expect((await readMetrics(source)).total.turns).toBe(total.turns + 1);
    expect((await readMetrics(source, { workspace: paths("copy") })).total.turns).toBe(4);
  });

  it("count a turn from its end on, and once it is recorded only there", async () => {
    const before = (await readMetrics(source)).total;
    const usage = { ...USAGE, inputTokens: 1 };
    const run: RunSummary = {
      run: "00000000-0000-4000-8000-000000000001",
      kind: "turn",
      workspace: paths("app"),
      directory: paths("app"),
      process: { pid: 1, startTime: "1", namespace: "1" },
      startedAt: new Date(NOW_MS - 10).toISOString(),
      updatedAt: new Date(NOW_MS).toISOString(),
      lines: 5,
      hasEnded: false,
      isCutOff: false,
      hasBegun: true,
      questions: [],
      answered: [],
      activity: "working",
      activitySince: new Date(NOW_MS).toISOString(),
      tools: { Bash: { calls: 2, errors: 1 } },
      result: { isError: false, costUsd: 0.125, sessionId: "s", model: "new", durationMs: 7, usage },
    };
    const totalWith = async (known: RunSummary): Promise<typeof before> =>
      (await readMetrics({ ...source, runs: { known: () => [known] } })).total;
    const live = await totalWith(run);
    expect([live.turns - before.turns, live.costUsd - before.costUsd, live.toolErrors]).toEqual([1, 0.125, 1]);
    expect(await totalWith({ ...run, stateId: "a".repeat(40) })).toEqual(before);
    expect(await totalWith({ ...run, isCutOff: true })).toEqual(before);
    await using app = await Workspace.open(paths("app"), { home });
    await using index = await TraceIndex.open(app);
    const recorded = (await index.load(ids[0] ?? ""))?.id ?? "";
    expect(await totalWith({ ...run, run: recorded })).toEqual(before);
  });
});
