import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ask, listenTo } from "../../../test/support/monitor-client.ts";
import { recordTurns } from "../../../test/support/record-turns.ts";
import { eventFolder } from "../../core/internal.ts";
import { createFakeClock } from "../../testing/index.ts";
import { Workspace } from "../../workspace/internal.ts";
import { startMonitor } from "../monitor.ts";
import { MonitoringIntegration } from "./monitoring-integration.ts";

const timestamp = "2026-11-15T06:00:00.000Z";
const clock = createFakeClock(Date.parse(timestamp));

let home: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skein-program-")));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true, maxRetries: 9 });
});

/** The lines of all journals, the oldest first. */
async function lines(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const names = (await readdir(eventFolder(home))).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(eventFolder(home), name), "utf8")));
  return texts.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("MonitoringIntegration", () => {
  it("keeps what a program tells, in order, where no server runs", async () => {
    vi.stubEnv("MY_API_KEY", "k-0123456789abcdef");
    const about = { home, clock, program: "deploy", workspace: "/w", sessionId: "s1", agentRole: "manager" };
    {
      await using monitoring = new MonitoringIntegration(about);
      monitoring.sendEvent("deployed", { to: "staging", with: { key: "k-0123456789abcdef" } });
      monitoring.trackQueryPerformance(1250.5);
      monitoring.trackQueryPerformance(10, { error: new Error("late"), costUsd: 0.5 });
      monitoring.logAgentCoordination("worker", "task_assignment", { taskId: "t1", data: { files: 3 } });
    }
    const event = (eventType: string, data: object): object => ({ type: "program-event", timestamp, eventType, data });
    const told = { sessionId: "s1", agentRole: "manager" };
    const [start, ...rest] = await lines();
    expect(start).toMatchObject({ type: "run-start", kind: "program", program: "deploy", workspace: "/w" });
    expect(rest).toEqual([
      event("deployed", { to: "staging", with: { key: "[redacted MY_API_KEY]" } }),
      event("execution_complete", { ...told, success: true, executionTimeMs: 1250.5 }),
      event("execution_complete", { ...told, success: false, executionTimeMs: 10, error: "late", costUsd: 0.5 }),
      event("agent_communication", {
        sessionId: "s1",
        agentType: "worker",
        messageType: "task_assignment",
        taskId: "t1",
        data: { files: 3 },
      }),
      { type: "run-end", timestamp, left: 0 },
    ]);
  });

  it("fails for nothing that a program gives it, and says how much was not kept", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const monitoring = new MonitoringIntegration({ home, clock });
    monitoring.sendEvent("before", {});
    monitoring.sendEvent("circle", circle);
    monitoring.sendEvent("number", { big: 1n });
    monitoring.sendEvent("long", { text: "x".repeat(200_000) });
    monitoring.sendEvent("run-end", {});
    await monitoring.close();
    monitoring.sendEvent("after", {});
    await monitoring.close();
    expect(monitoring.dropped).toBe(3);
    expect((await lines()).map(({ eventType }) => eventType)).toEqual([
      undefined,
      "before",
      "long",
      "run-end",
      undefined,
    ]);
    const nowhere = new MonitoringIntegration({ home: "/dev/null/none", clock });
    nowhere.sendEvent("lost", {});
    await nowhere.close();
  });

  it("goes on in another journal where one is full, and loses nothing", async () => {
    const monitoring = new MonitoringIntegration({ home });
    for (let number = 0; number < 120; number += 1) monitoring.sendEvent("page", { number, text: "x".repeat(100_000) });
    await monitoring.close();
    const all = await lines();
    const numbers = all.flatMap(({ data }) => (data ? [(data as { readonly number: number }).number] : []));
    expect(numbers).toEqual([...Array(120).keys()]);
    expect(all.filter(({ type }) => type === "run-start").length).toBe(3);
    expect(monitoring.dropped).toBe(0);
  });

  it("is shown by a server as it happens, by a topic of its own and by REST, and its program is not taken for work", async () => {
    await using monitor = await startMonitor({ home, port: 0 });
    using listener = await listenTo(monitor.url, { token: monitor.token, query: "?subscribe=programs" });
    await using monitoring = new MonitoringIntegration({ home, program: "deploy", workspace: "/w" });
    monitoring.sendEvent("deployed", { someKey: 1 });
    await listener.until((messages) => messages.some(({ event }) => event?.type === "program-event"));
    const found = listener.messages.find(({ event }) => event?.type === "program-event");
    expect(found).toMatchObject({ line: 2, event: { event_type: "deployed", data: { someKey: 1 } } });
    const { runs } = (await ask(`${monitor.url}/api/runs?kind=program`, monitor)).json;
    expect(runs).toMatchObject([{ run: found?.["run"], kind: "program", program: "deploy", state: "running" }]);
    const { events } = (await ask(`${monitor.url}/api/runs/${String(found?.["run"])}/events`, monitor)).json;
    expect(events.map(({ event }: { readonly event: { readonly type: string } }) => event.type)).toEqual([
      "run-start",
      "program-event",
    ]);
    const { now } = (await ask(`${monitor.url}/api/metrics`, monitor)).json;
    expect(now).toMatchObject({ running: 0, processes: 1 });
  });

  it("gives the figures of what is recorded", async () => {
    await using workspace = await Workspace.open(join(home, "work"), { home });
    await recordTurns(workspace, [{ prompt: "one", costUsd: 0.5 }, { prompt: "two" }]);
    await using monitoring = new MonitoringIntegration({ home });
    const { total, groups } = await monitoring.getMetricsSummary({ by: "workspace" });
    expect([total.turns, total.costUsd, groups.map(({ key }) => key)]).toEqual([2, 0.51, [workspace.path]]);
  });
});
