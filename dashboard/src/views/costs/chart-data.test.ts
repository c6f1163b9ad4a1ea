import { expect, it } from "vitest";
import {
  byGroup,
  callsByTool,
  costsByAgent,
  errorsByKind,
  fromFirst,
  sumsOf,
  turnTimes,
  usageByDay,
  type Bucket,
} from "./chart-data.ts";

type Given = Partial<Bucket["metrics"]>;

const bucket = (from: string, given: Given): Bucket => ({
  from,
  to: from,
  metrics: { turns: 1, cost_usd: 0, errors: [], tools: [], turn_time: null, ...given } as Bucket["metrics"],
});
const days = (...given: readonly Given[]): readonly Bucket[] =>
  given.map((each, place) => bucket(`2026-03-0${place + 1}T00:00:00.000Z`, each));

it("shows what groups have, and the rest as others only where there is a rest", () => {
  const cost = ({ cost_usd: costUsd }: Bucket["metrics"]): number => costUsd;
  const groups = [{ name: "opus", buckets: days({ cost_usd: 1 }, { cost_usd: 0.1 + 0.2 }) }];
  expect(byGroup(days({ cost_usd: 1 }, { cost_usd: 0.3 }), groups, cost).series).toEqual(["opus"]);
  const rest = byGroup(days({ cost_usd: 3 }, { cost_usd: 0.3 }), groups, cost);
  expect(rest.series).toEqual(["opus", "others"]);
  expect(rest.rows[0]?.values).toEqual([1, 2]);
  expect(sumsOf(rest)[1]).toBeCloseTo(2);
});

it("counts by name, the most frequent first, and the rare ones together", () => {
  const tools = (counts: Readonly<Record<string, number>>): Given => ({
    tools: Object.entries(counts).map(([tool, calls]) => ({ tool, calls, errors: 0, error_rate: 0 })),
  });
  const told = callsByTool(days(tools({ Bash: 1, Read: 5, A: 1, B: 1, C: 2, D: 2 }), tools({ Bash: 9, E: 1 })));
  expect(told.series).toEqual(["Bash", "Read", "C", "D", "A", "others"]);
  expect(told.rows.map(({ values }) => values)).toEqual([
    [1, 5, 2, 2, 1, 1],
    [9, 0, 0, 0, 0, 1],
  ]);
  const errors = errorsByKind(days({ errors: [{ kind: "network", turns: 2, rate: 0.1 }] }, {}));
  expect(errors).toEqual({
    series: ["network"],
    rows: [
      { from: "2026-03-01T00:00:00.000Z", values: [2] },
      { from: "2026-03-02T00:00:00.000Z", values: [0] },
    ],
  });
});

it("leaves a gap where no turn took any time, and begins where there is something", () => {
  const time = { p50_ms: 10, p95_ms: 20, p99_ms: 30, mean_ms: 12, longest_ms: 40 };
  const buckets = days({ turns: 0 }, { turn_time: time }, { turns: 0 });
  expect(turnTimes(buckets).rows.map(({ values }) => values)).toEqual([
    [null, null],
    [10, 20],
    [null, null],
  ]);
  expect(fromFirst(buckets)).toEqual(buckets.slice(1));
});

it("shows the days between those that sessions tell of, too", () => {
  const row = (key: string, costUsd: number): Parameters<typeof usageByDay>[0][number] =>
    ({ key, label: null, calls: null, errors: null, usage: { cost_usd: costUsd } }) as never;
  expect(usageByDay([], [])).toEqual({ series: ["all sessions"], rows: [] });
  const told = usageByDay([row("2026-03-01", 1), row("2026-03-03", 2), row("", 9)], []);
  expect(told.rows.map(({ values }) => values)).toEqual([[1], [0], [2]]);
  expect(told.rows[0]?.from).toBe(new Date(2026, 2, 1).toISOString());
  const around = [bucket(new Date(2026, 1, 28).toISOString(), {}), bucket(new Date(2026, 2, 4).toISOString(), {})];
  expect(usageByDay([row("2026-03-01", 1)], around).rows.map(({ values }) => values)).toEqual([
    [0],
    [1],
    [0],
    [0],
    [0],
  ]);
});

it("tells what each agent cost, the dearest first", () => {
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const agent = (name: string, costUsd: number) => ({
    agent: name,
    turns: 1,
    usage,
    cost_usd: costUsd,
    offline_cost_usd: 0,
  });
  const [from, to] = ["2026-11-18T00:00:00.000Z", "2026-11-19T00:00:00.000Z"];
  expect(
    costsByAgent([
      { from, to, agents: [agent("main", 0.5), agent("Agent(Explore)", 2)] },
      { from: to, to, agents: [agent("main", 1), agent("Agent(free)", 0)] },
    ]),
  ).toEqual({
    series: ["Agent(Explore)", "main"],
    rows: [
      { from, values: [2, 0.5] },
      { from: to, values: [0, 1] },
    ],
  });
});
