import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../test/support/start-trace-host.ts";
import { answer, linesOf, prompt } from "../../../test/support/write-history.ts";
import type { WorkspaceBudget } from "../budgets/read-budgets.ts";
import { startMonitor, type Monitor } from "../monitor.ts";

const SESSION = "5a00000c-0000-4000-8000-000000000001";

let root: string;
let monitor: Monitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-figures-")));
  await mkdir(join(root, "work"));
  await mkdir(join(root, "projects", "-work"), { recursive: true });
  const home = join(root, "home");
  await startTraceHost({ directory: join(root, "work"), home, prompts: ["a.txt one", "a.txt two"] }).ended;
  const at = (day: number) => ({ sessionId: SESSION, cwd: "/p", timestamp: `2026-05-0${day}T23:30:00.000Z` });
  const lines = [
    prompt("p", "Look", at(1)),
    answer("a", "", { ...at(1), id: "m1", output: 1000, call: { id: "t", name: "Read" } }),
    answer("b", "Done.", { ...at(2), id: "m2", output: 1000 }),
  ];
  await writeFile(join(root, "projects", "-work", `${SESSION}.jsonl`), linesOf(lines));
  const alerts = { costPerDayUsd: 0.015, costPerHourUsd: 5, errorRate: { above: 0.5, leastTurns: 5 } };
  await mkdir(join(root, "other"));
  await startTraceHost({ directory: join(root, "other"), home, prompts: [] }).ended;
  const budgetOf = (workspace: string): Promise<WorkspaceBudget> =>
    workspace === join(root, "work")
      ? Promise.resolve({ maxCostUsd: 3, maxConversationCostUsd: 0.02 })
      : Promise.reject(new Error("It says nothing that can be read"));
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "projects"), alerts, budgetOf });
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
async function read(path: string, status = 200): Promise<any> {
  const got = await ask(`${monitor.url}/api/${path}`, monitor);
  expect([path, got.status]).toEqual([path, status]);
  return got.json;
}

it("tells how much of each watched bound is used, and nothing of what there is too little to judge by", async () => {
  const { limits } = await read("limits");
  expect(limits).toEqual([
    expect.objectContaining({ kind: "cost-per-hour", subject: null, value: 0.02, threshold: 5, is_over: false }),
    expect.objectContaining({ kind: "cost-per-day", subject: null, value: 0.02, threshold: 0.015, is_over: true }),
  ]);
});

it("tells what agents may spend beside what conversations spent, and of a configuration that is wrong", async () => {
  const { budgets } = await read("limits");
  const id = expect.any(String);
  const conversation = { id, first_prompt: "a.txt one", updated_at: id, spent_usd: 0.02, is_over: true };
  const byPath = (budgets as readonly { readonly workspace: string }[]).toSorted((left, right) =>
    left.workspace < right.workspace ? -1 : 1,
  );
  expect(byPath).toEqual([
    {
      workspace_id: id,
      workspace: join(root, "other"),
      max_cost_usd: null,
      max_conversation_cost_usd: null,
      problem: expect.stringContaining("It says nothing that can be read"),
      conversations: [],
    },
    {
      workspace_id: id,
      workspace: join(root, "work"),
      max_cost_usd: 3,
      max_conversation_cost_usd: 0.02,
      problem: null,
      conversations: [conversation],
    },
  ]);
});

it("sums up turns by the hour of the week, in a time zone", async () => {
  const { hours, from, to } = await read("metrics/heatmap?time_zone=Asia/Kolkata");
  expect(hours).toHaveLength(168);
  expect([hours[0], hours[167]]).toMatchObject([
    { weekday: 1, hour: 0 },
    { weekday: 7, hour: 23 },
  ]);
  const busy = hours.filter(({ turns }: { readonly turns: number }) => turns > 0);
  const turns = busy.reduce((sum: number, each: { readonly turns: number }) => sum + each.turns, 0);
  const cost = busy.reduce((sum: number, each: { readonly cost_usd: number }) => sum + each.cost_usd, 0);
  expect([turns, cost]).toEqual([2, 0.02]);
  expect(Date.parse(to) - Date.parse(from)).toBe(28 * 86_400_000);
  expect((await read("metrics/heatmap?time_zone=Nowhere/Land", 400)).error.target).toBe("time_zone");
  expect((await read("metrics/heatmap?from=2000-01-01T00:00:00Z", 400)).error.target).toBe("from");
});

it("divides what turns cost among agents, by the day", async () => {
  const { buckets } = await read("metrics/agents?bucket=day&time_zone=UTC");
  expect(buckets).toHaveLength(31);
  const agents = buckets.flatMap((bucket: { readonly agents: readonly unknown[] }) => bucket.agents);
  expect(agents.map(({ agent, ...sums }: Record<string, unknown>) => [agent, sums["turns"]])).toEqual(
    expect.arrayContaining([["main", expect.any(Number)]]),
  );
  const cost = agents.reduce((sum: number, each: { readonly cost_usd: number }) => sum + each.cost_usd, 0);
  expect(cost).toBeCloseTo(0.02, 9);
  expect(
    (await read("metrics/agents?model=none")).buckets.every(
      ({ agents: none }: { readonly agents: readonly unknown[] }) => none.length === 0,
    ),
  ).toBe(true);
  expect((await read("metrics/agents?from=2026-01-01T00:00:00Z", 400)).error.target).toBe("from");
});

it("sums up what sessions used that Skein did not start, by day, model, project, tool and session", async () => {
  const keys = async (query: string): Promise<unknown> =>
    (await read(`usage?${query}`)).rows.map(({ key, usage }: Record<string, Record<string, number>>) => [
      key,
      usage?.["output_tokens"],
    ]);
  expect(await keys("by=day&time_zone=UTC")).toEqual([
    ["2026-05-01", 1000],
    ["2026-05-02", 1000],
  ]);
  expect(await keys("by=day&time_zone=Asia/Kolkata&limit=1")).toEqual([["2026-05-03", 1000]]);
  expect(await keys("by=model")).toEqual([["claude-sonnet-4-5-20250929", 2000]]);
  expect(await keys("by=project")).toEqual([["/p", 2000]]);
  expect(await keys(`by=session&session=${SESSION.slice(0, 8)}&since=2026-05-02T00:00:00Z`)).toEqual([[SESSION, 1000]]);
  const tools = await read("usage?by=tool");
  expect(tools).toMatchObject({
    rows: [{ key: "Read", calls: 1, errors: 0 }],
    count: 1,
    total: { output_tokens: 2000 },
  });
  expect((await read("usage?by=weather", 400)).error.target).toBe("by");
  expect((await read("usage?session=none", 404)).error.kind).toBe("session_not_found");
});
