import { createHmac } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startReceiver, type Receiver } from "../../../test/support/webhook-receiver.ts";
import { isoTime } from "../../core/internal.ts";
import { openDatabase } from "../../database/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { FakeClock } from "../../testing/internal.ts";
import { addLine, beginSummary, cutOff, type RunSummary } from "../runs/run-data.ts";
import { toAlertData, type Alert } from "./alert-data.ts";
import type { AlertSettings, WebhookSettings } from "./alert-settings.ts";
import type { TurnFigures } from "./read-alerts.ts";
import { openAlerts, type Alerts } from "./watch-alerts.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NO_TURNS: TurnFigures = { turns: 0, failed: 0, costUsd: 0, medianMs: null };

let home: string;
let clock: FakeClock;
let told: Alert[];
let runs: RunSummary[];
let memory: Map<number, number>;
let figures: (span: { readonly fromMs: number; readonly toMs: number }) => TurnFigures;
const opened: Alerts[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-alerts-"));
  clock = createFakeClock(Date.UTC(2026, 10, 19));
  [told, runs, memory, figures] = [[], [], new Map(), () => NO_TURNS];
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

async function open(settings: AlertSettings, env: Record<string, string> = {}): Promise<Alerts> {
  const alerts = await openAlerts({
    dataHome: home,
    settings,
    env,
    clock,
    sources: {
      figures: (span) => Promise.resolve().then(() => figures(span)),
      runs: () => runs,
      memory: () => Promise.resolve(memory),
    },
    tell: (alert) => told.push(alert),
  });
  opened.push(alerts);
  return alerts;
}

/** Closes the last and opens another, as a server that is started again. */
async function again(settings: AlertSettings): Promise<Alerts> {
  await opened.pop()?.[Symbol.asyncDispose]();
  return await open(settings);
}

const said = (): readonly string[] =>
  told.splice(0).map(({ kind, clearedAt, message }) => `${clearedAt ? "over" : "fired"} ${kind}: ${message}`);

function run(number: number, more: Partial<RunSummary> = {}): RunSummary {
  const id = `019a9a2e-0000-7000-8000-${String(number).padStart(12, "0")}`;
  const about = {
    run: id,
    kind: "turn" as const,
    workspace: "/w",
    directory: "/w",
    process: { pid: 1, startTime: "0" },
  };
  return { ...beginSummary({ type: "run-start", version: 1, timestamp: isoTime(clock.now()), ...about }), ...more };
}

describe("an alert", () => {
  it("fires once when its figure goes beyond the bound, and is over once when it is clearly below", async () => {
    const alerts = await open({ costPerHourUsd: 5 });
    const spent: readonly [number, readonly string[]][] = [
      [5, []],
      [5.01, ["fired cost-per-hour: The last hour cost $5.01: more than $5"]],
      [9, []],
      [4.9, []],
      [5.2, []],
      [4.5, ["over cost-per-hour: The last hour cost $5.01: more than $5"]],
      [4.9, []],
      [6, ["fired cost-per-hour: The last hour cost $6.00: more than $5"]],
    ];
    for (const [costUsd, expected] of spent) {
      figures = () => ({ ...NO_TURNS, turns: 1, costUsd });
      await alerts.look();
      expect([costUsd, said()]).toEqual([costUsd, expected]);
    }
    const list = await alerts.store.list({ limit: 10, offset: 0 });
    expect(list.map(({ value, clearedAt }) => [value, clearedAt])).toEqual([
      [6, undefined],
      [5.01, isoTime(clock.now())],
    ]);
  });

  it("that holds does not fire again when the server is started again, and is over if nobody watches for it any more", async () => {
    figures = () => ({ ...NO_TURNS, turns: 9, costUsd: 9 });
    await (await open({ costPerDayUsd: 1, costPerHourUsd: 20 })).look();
    expect(said()).toEqual(["fired cost-per-day: The last 24 hours cost $9.00: more than $1"]);
    await (await again({ costPerDayUsd: 1 })).look();
    expect(said()).toEqual([]);
    await (await again({})).look();
    expect(said()).toEqual(["over cost-per-day: The last 24 hours cost $9.00: more than $1"]);
    await (await again({})).look();
    expect(said()).toEqual([]);
  });

  it("stays as it is while its figures cannot be read", async () => {
    const alerts = await open({ costPerHourUsd: 5, memoryMb: 100 });
    figures = () => ({ ...NO_TURNS, turns: 1, costUsd: 6 });
    await alerts.look();
    expect(said()).toHaveLength(1);
    figures = () => {
      throw new Error("locked");
    };
    memory.set(7, 200 * 1024 ** 2);
    await alerts.look();
    expect(said()).toEqual(["fired memory: Process 7 holds 200 MB: more than 100 MB"]);
    memory.clear();
    await alerts.look();
    expect(said()).toEqual(["over memory: Process 7 holds 200 MB: more than 100 MB"]);
  });

  it("of failed turns looks at the last minutes, and says nothing of a few turns", async () => {
    const alerts = await open({ errorRate: { above: 0.5, minutes: 30, leastTurns: 4 } });
    const spans: number[] = [];
    const of =
      (turns: number, failed: number) =>
      ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) => {
        spans.push((toMs - 1 - fromMs) / MINUTE);
        return { ...NO_TURNS, turns, failed };
      };
    figures = of(3, 3);
    await alerts.look();
    expect(said()).toEqual([]);
    figures = of(4, 3);
    await alerts.look();
    expect(said()).toEqual(["fired error-rate: 3 of 4 turns of the last 30 minutes failed: more than 50 %"]);
    figures = of(2, 2);
    await alerts.look();
    expect(said()).toEqual(["over error-rate: 3 of 4 turns of the last 30 minutes failed: more than 50 %"]);
    expect(spans).toEqual([30, 30, 30]);
  });

  it("of slow turns compares the last hour's median with that of the week before it", async () => {
    const alerts = await open({ slowerThanLastWeek: { factor: 2 } });
    const weekly = (medianMs: number, turns = 5) => {
      figures = ({ fromMs, toMs }) =>
        toMs - fromMs > HOUR + 1 ? { ...NO_TURNS, turns: 50, medianMs: 1000 } : { ...NO_TURNS, turns, medianMs };
    };
    weekly(2000);
    await alerts.look();
    weekly(9000, 4);
    await alerts.look();
    expect(said()).toEqual([]);
    weekly(2500);
    await alerts.look();
    expect(said()).toEqual([
      "fired slower-turns: Turns of the last 60 minutes take 2.5 s (median): more than 2 times the 1.0 s of the week before",
    ]);
    weekly(1700);
    await alerts.look();
    expect(said()).toHaveLength(1);
  });

  it("of a run that stalls fires for each run, and is over with its next event or its end", async () => {
    const alerts = await open({ stalledMinutes: 10 });
    runs = [run(1), run(2), run(3, { kind: "search" })];
    clock.advance(10 * MINUTE);
    await alerts.look();
    expect(said()).toEqual([]);
    clock.advance(1);
    await alerts.look();
    const message = (id: string) =>
      `The run 019a9a2e-0000-7000-8000-00000000000${id} in /w works, and has had no event for more than 10 minutes`;
    expect(said()).toEqual([`fired stalled-run: ${message("1")}`, `fired stalled-run: ${message("2")}`]);
    const [one, two] = runs as [RunSummary, RunSummary];
    runs = [addLine(one, { type: "text", timestamp: isoTime(clock.now()) }), cutOff(two, isoTime(clock.now()))];
    await alerts.look();
    expect(said()).toEqual([`over stalled-run: ${message("1")}`, `over stalled-run: ${message("2")}`]);
    clock.advance(10 * MINUTE + 1);
    await alerts.look();
    expect(said()).toEqual([`fired stalled-run: ${message("1")}`]);
    // Who waits for a person does not stall.
    runs = [{ ...one, activity: "waiting" }];
    await alerts.look();
    expect(said()).toEqual([`over stalled-run: ${message("1")}`]);
  });
});

describe("the database of alerts", () => {
  it.each([
    ["damaged", "Remove"],
    ["newer", "Use the newer Skein"],
  ])("that is %s is left alone, and what to do is told", async (reason, hint) => {
    const path = join(home, "monitor", "alerts.sqlite");
    await mkdir(join(home, "monitor"));
    if (reason === "damaged") await writeFile(path, "no database at all ".repeat(100));
    else await (await openDatabase(path, { migrations: ["select 1", "select 2"] })).close();
    const before = await readFile(path);
    await expect(open({})).rejects.toMatchObject({
      kind: "parse",
      target: path,
      hint: expect.stringContaining(hint) as string,
    });
    expect((await readFile(path)).equals(before)).toBe(true);
  });
});

describe("a webhook", () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    figures = () => ({ ...NO_TURNS, turns: 1, costUsd: 6 });
  });

  afterEach(async () => await receiver[Symbol.asyncDispose]());

  const settings = (more: WebhookSettings = {}): AlertSettings => ({
    costPerHourUsd: 5,
    webhooks: [{ url: receiver.url, ...more }],
  });

  const types = (): readonly string[] => receiver.received.map(({ json }) => json.type as string);

  it("is told of alerts, signed over the time and the body", async () => {
    const alerts = await open(settings({ secretEnv: "HOOK_SECRET" }), { HOOK_SECRET: "s3cret" });
    await alerts.look();
    await alerts.deliver();
    const [{ headers, body, json }] = receiver.received as [Receiver["received"][number]];
    const [held] = await alerts.store.list({ limit: 1, offset: 0 });
    const alert = held && toAlertData(held);
    const text = "Alert: The last hour cost $6.00: more than $5";
    const id = `${alert?.alert_id}.fired`;
    expect(json).toEqual({ id, type: "alert-fired", timestamp: alert?.fired_at, text, alert, run: null });
    const timestamp = String(clock.now() / 1000);
    const hex = createHmac("sha256", "s3cret").update(`${timestamp}.${body}`).digest("hex");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "skein-notice": id,
      "skein-timestamp": timestamp,
      "skein-signature": `sha256=${hex}`,
    });
    expect(JSON.stringify([headers, body])).not.toContain("s3cret");
    await alerts.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it("that fails, redirects or is down is tried again later and later, in order, and has all when it is back", async () => {
    let alerts = await open(settings());
    receiver.behave(500);
    await alerts.look();
    await alerts.deliver();
    await alerts.deliver();
    expect(types()).toEqual(["alert-fired"]);
    const name = `127.0.0.1:${receiver.port}`;
    expect(await alerts.webhooks()).toEqual([{ name, waiting: 1, error: "It answered with 500" }]);
    figures = () => NO_TURNS;
    await alerts.look();
    receiver.behave(307);
    clock.advance(5_000);
    await alerts.deliver();
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook?key=hidden", "/hook?key=hidden"]);
    const { port } = receiver;
    await receiver[Symbol.asyncDispose]();
    clock.advance(10_000);
    await alerts.deliver();
    expect(await alerts.webhooks()).toEqual([
      { name, waiting: 2, error: expect.stringContaining("It could not be reached: ") as string },
    ]);
    alerts = await again(settings());
    receiver = await startReceiver(port);
    clock.advance(19_999);
    await alerts.deliver();
    expect(types()).toEqual([]);
    clock.advance(1);
    await alerts.deliver();
    expect(types()).toEqual(["alert-fired", "alert-cleared"]);
    expect(await alerts.webhooks()).toEqual([{ name, waiting: 0, error: null }]);
  });

  it("that hangs holds up no other one, and is told again with the same id by a server that is started again", async () => {
    await using other = await startReceiver();
    receiver.behave("hang");
    const both = { ...settings(), webhooks: [{ url: receiver.url }, { url: other.url }] };
    let alerts = await open(both);
    await alerts.look();
    const stop = new AbortController();
    const delivering = alerts.deliver(stop.signal);
    await Promise.all([receiver.until(({ length }) => length === 1), other.until(({ length }) => length === 1)]);
    while ((await alerts.webhooks())[1]?.waiting !== 0) await new Promise(setImmediate);
    // It ends in the middle, as a server does that somebody stops.
    stop.abort();
    await delivering;
    alerts = await again(both);
    receiver.behave(200);
    await alerts.deliver();
    const ids = receiver.received.map(({ json }) => json.id as string);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(other.received).toHaveLength(1);
  });

  it("has no more waiting for it than there is room for, and nothing that is days old", async () => {
    receiver.behave(500);
    const alerts = await open({ stalledMinutes: 1, webhooks: [{ url: receiver.url }] });
    runs = Array.from({ length: 1100 }, (_, index) => run(index));
    clock.advance(2 * MINUTE);
    await alerts.look();
    expect(await alerts.webhooks()).toMatchObject([{ waiting: 1000 }]);
    clock.advance(73 * HOUR);
    await alerts.deliver();
    expect(await alerts.webhooks()).toMatchObject([{ waiting: 0 }]);
  });

  it("is told in a chat's own words, and nothing that stands in it is more than text there", async () => {
    const directory = "/w/<!channel>&@everyone";
    const tell = ["session-started"] as const;
    const webhooks = (["slack", "discord"] as const).map((preset) => ({ url: receiver.url, preset, tell }));
    const alerts = await open({ webhooks });
    runs = [run(1, { workspace: directory, directory })];
    await alerts.look();
    await alerts.deliver();
    const began = `The turn ${runs[0]?.run} in `;
    const bodies = receiver.received.map(({ json }) => JSON.stringify(json)).toSorted();
    expect(bodies).toEqual([
      JSON.stringify({ content: `${began}${directory} began`, allowed_mentions: { parse: [] } }),
      JSON.stringify({ text: `${began}/w/&lt;!channel&gt;&amp;@everyone began` }),
    ]);
  });

  it("is told once of each run that begins, ends or fails, as it wants, and not of those before, or of a search's turns", async () => {
    runs = [run(1)];
    const tell = ["session-started", "session-completed", "session-failed"] as const;
    const wanted = { webhooks: [{ url: receiver.url, tell }] };
    let alerts = await open(wanted);
    const step = async (): Promise<readonly string[]> => {
      await alerts.look();
      await alerts.deliver();
      const news = receiver.received.map(({ json }) => `${(json.run.run as string).at(-1)} ${json.type as string}`);
      (receiver.received as unknown[]).length = 0;
      return news;
    };
    expect(await step()).toEqual([]);
    runs = [run(1), run(2, { prompt: "secret plans" }), run(3, { directory: "/branch" })];
    await alerts.look();
    await alerts.deliver();
    expect(receiver.received.map(({ body }) => body.includes("secret plans"))).toEqual([false]);
    expect(await step()).toEqual(["2 session-started"]);
    alerts = await again(wanted);
    expect(await step()).toEqual([]);
    const [one, two] = runs as [RunSummary, RunSummary];
    runs = [
      { ...one, hasEnded: true, isError: false },
      { ...two, isCutOff: true },
    ];
    const failed = { hasEnded: true, isError: true, errorKind: "rate_limit" };
    runs.push(run(4, failed));
    expect(await step()).toEqual(["1 session-completed", "2 session-failed", "4 session-started", "4 session-failed"]);
    alerts = await again(wanted);
    expect(await step()).toEqual([]);
  });

  it("is refused where its address or its secret cannot be had, or must not be used", async () => {
    const file = join(home, "secret");
    await writeFile(file, "https://example.org/x\n");
    await chmod(file, 0o644);
    const config = { kind: "config" };
    for (const [webhook, error] of [
      [{}, config],
      [{ urlEnv: "NONE" }, { ...config, target: "NONE" }],
      [{ urlEnv: "PLAIN" }, { ...config, target: "alerts.webhooks[1]" }],
      [{ url: "http://10.0.0.1/" }, config],
      [{ url: "https://example.org/hidden" }, { ...config, target: "alerts.webhooks[1]" }],
      [{ urlFile: file }, { kind: "policy", target: file }],
      [{ urlFile: join(home, "none") }, { kind: "filesystem" }],
      [
        { url: receiver.url, secretEnv: "NONE" },
        { ...config, target: "NONE" },
      ],
    ] as const) {
      const opening = open(
        { webhooks: [{ url: "https://example.org/hidden" }, webhook] },
        { PLAIN: "http://example.org/hidden" },
      );
      await expect(opening).rejects.toMatchObject(error);
      await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining("hidden") as string });
    }
    await chmod(file, 0o600);
    const alerts = await open({ webhooks: [{ urlFile: file }] });
    expect(await alerts.webhooks()).toEqual([{ name: "example.org", waiting: 0, error: null }]);
  });
});
