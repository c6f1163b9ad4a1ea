import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesWith } from "../../../test/support/files-with.ts";
import { ask, listenTo, serveMonitor, type ServedMonitor } from "../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../test/support/start-trace-host.ts";
import { startReceiver } from "../../../test/support/webhook-receiver.ts";

const run = promisify(execFile);

const SECRET = "a-secret-that-nobody-is-to-see-0123456789";

let home: string;
const served: ServedMonitor[] = [];

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skein-alerting-")));
});

afterEach(async () => {
  for (const each of served.splice(0)) await kill(each);
  await rm(home, { recursive: true, force: true, maxRetries: 9 });
});

async function serve(): Promise<ServedMonitor> {
  const made = await serveMonitor(home, ["--port", "0"], { HOOK_SECRET: SECRET });
  served.push(made);
  return made;
}

async function kill({ process: child }: ServedMonitor): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

const configure = (alerts: object): Promise<void> =>
  writeFile(join(home, "skein.config.json"), JSON.stringify({ alerts }));

describe("skein serve", () => {
  it("that is killed before an alert is delivered delivers it when it is started again, once more with the same id, and fires nothing twice", async () => {
    await using receiver = await startReceiver();
    receiver.behave("hang");
    await configure({ memoryMb: 1, webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET" }] });
    const first = await serve();
    await receiver.until(({ length }) => length === 1);
    await kill(first);
    receiver.behave(204);
    const second = await serve();
    using listener = await listenTo(second.url, { ...second, query: "?subscribe=alerts" });
    await receiver.until((received) => received.filter(({ json }) => json.type === "alert-cleared").length === 1);
    const told = receiver.received.map(({ json, headers }) => [json.id, json.type, headers["skein-notice"]]);
    const [[fired]] = told as [[string]];
    const memory = told.filter(([id]) => id === fired);
    expect(memory).toEqual([
      [fired, "alert-fired", fired],
      [fired, "alert-fired", fired],
    ]);
    const { alerts, webhooks } = (await ask(`${second.url}/api/alerts`, second)).json;
    // The process that was killed is gone, so its alert is over; the one that runs now has its own.
    expect(alerts).toMatchObject([
      { kind: "memory", subject: `${second.process.pid}`, cleared_at: null },
      { kind: "memory", subject: `${first.process.pid}`, alert_id: fired.replace(".fired", "") },
    ]);
    expect(webhooks).toMatchObject([{ name: `127.0.0.1:${receiver.port}`, error: null }]);
    expect((await ask(`${second.url}/api/alerts?state=held`, second)).json.alerts).toHaveLength(1);
    expect(second.output()).toContain(`Process ${second.process.pid} holds`);
    expect(listener.messages[0]).toMatchObject({ type: "hello", topics: ["alerts"] });
    for (const { output } of [first, second]) expect(output()).not.toMatch(/hidden|a-secret/u);
    expect(await filesWith(home, SECRET)).toEqual([]);
    expect(await filesWith(home, "hidden")).toEqual(["skein.config.json"]);
  });

  it("tells of a run whose process was killed, and of the share of turns that failed, by the figures of the records", async () => {
    await using receiver = await startReceiver();
    const tell = ["alerts", "session-started", "session-completed", "session-failed"];
    await configure({ errorRate: { above: 0.4, leastTurns: 2 }, webhooks: [{ url: receiver.url, tell }] });
    const directory = join(home, "work");
    await mkdir(directory);
    const monitor = await serve();
    await startTraceHost({ directory, home, prompts: ["a.txt one"] }).ended;
    await startTraceHost({ directory, home, prompts: ["b.txt two"], dieAt: "tool-end" }).ended;
    const recover = ["dist/cli/main.js", "recover", "--keep", "--cwd", directory];
    await run(process.execPath, recover, { env: { PATH: process.env["PATH"], SKEIN_HOME: home, HOME: home } });
    await receiver.until(({ length }) => length === 5);
    const told = receiver.received.map(({ json }) => json.type as string);
    expect(told.toSorted()).toEqual([
      "alert-fired",
      "session-completed",
      "session-failed",
      "session-started",
      "session-started",
    ]);
    const { alerts } = (await ask(`${monitor.url}/api/alerts`, monitor)).json;
    expect(alerts).toMatchObject([
      { kind: "error-rate", message: "1 of 2 turns of the last 60 minutes failed: more than 40 %", value: 0.5 },
    ]);
    expect(receiver.received.some(({ body }) => /a\.txt|b\.txt/u.test(body))).toBe(false);
  });
});
