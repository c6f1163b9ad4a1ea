import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesWith } from "../../test/support/files-with.ts";
import { ask, listenTo, serveMonitor, type Listener, type ServedMonitor } from "../../test/support/monitor-client.ts";
import { startTraceHost } from "../../test/support/start-trace-host.ts";

let home: string;
let directory: string;
const served: ServedMonitor[] = [];

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "skein-monitored-")));
  directory = await realpath(await mkdtemp(join(tmpdir(), "skein-watched-")));
});

afterEach(async () => {
  for (const { process: child } of served.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
  for (const path of [home, directory]) await rm(path, { recursive: true, force: true, maxRetries: 9 });
});

async function serve(): Promise<ServedMonitor> {
  const made = await serveMonitor(home);
  served.push(made);
  return made;
}

const isEnd = ({ type, run }: { readonly type: string; readonly run: { readonly state?: string } }): boolean =>
  type === "run" && run.state === "ended";

/** The lines of a run that somebody was told, in order. */
const linesOf = ({ messages }: Listener, run: string): readonly number[] =>
  messages.filter((each) => each.type === "event" && each.run === run).map(({ line }) => line as number);

describe("skein serve", () => {
  it("shows a run of another process, with its events in order, and its state when it is recorded", async () => {
    const monitor = await serve();
    using listener = await listenTo(monitor.url, { ...monitor, query: "?subscribe=runs,events" });
    const host = startTraceHost({ directory, home, prompts: ["a.txt one"] });
    await listener.until((messages) => messages.some(isEnd));
    const lines = await host.ended;
    const events = listener.messages.filter(({ type }) => type === "event");
    expect(events.map(({ line, event }) => [line, event.type])).toEqual([
      [1, "run-start"],
      [2, "turn-start"],
      [3, "tool-start"],
      [4, "tool-end"],
      [5, "turn-end"],
      [6, "state-recorded"],
      [7, "run-end"],
    ]);
    const [, ...later] = listener.messages.filter(({ seq }) => seq !== undefined);
    expect(later.map(({ seq }) => seq)).toEqual([...later.keys()]);
    const stateId = lines.findLast((line) => line.stateId !== undefined)?.stateId;
    const { runs } = (await ask(`${monitor.url}/api/runs`, monitor)).json;
    expect(runs).toMatchObject([
      {
        state: "ended",
        kind: "turn",
        workspace: directory,
        prompt: "a.txt one",
        lines: 7,
        state_id: stateId,
        is_error: false,
      },
    ]);
    const id = (await ask(`${monitor.url}/api/workspaces`, monitor)).json.workspaces[0].id as string;
    const shown = (await ask(`${monitor.url}/api/workspaces/${id}/states/${stateId}`, monitor)).json;
    expect(shown).toMatchObject({ state_id: stateId, transition: { id: runs[0].run, prompt: { text: "a.txt one" } } });
  });

  it("misses no event where it is killed in the middle of a run, and the run does not notice", async () => {
    const first = await serve();
    using before = await listenTo(first.url, { ...first, query: "?subscribe=events" });
    const prompts = Array.from({ length: 6 }, (_, index) => `${index}.txt text`);
    const host = startTraceHost({ directory, home, prompts });
    await before.until((messages) => messages.some(({ event }) => event?.type === "state-recorded"));
    first.process.kill("SIGKILL");
    await once(first.process, "close");
    const second = await serve();
    using after = await listenTo(second.url, { ...second, query: "?subscribe=runs,events" });
    expect((await host.ended).filter(({ outcome }) => outcome === "completed")).toHaveLength(prompts.length);
    expect(host.process.exitCode).toBe(0);
    await after.until(([, snapshot, ...rest]) => {
      const ended = [...(snapshot?.runs ?? []), ...rest.filter(isEnd).map(({ run }: { run: object }) => run)];
      return (
        new Set(ended.filter(({ state }) => state === "ended").map(({ run }) => run as string)).size === prompts.length
      );
    });
    const { runs } = (await ask(`${second.url}/api/runs`, second)).json as { runs: { run: string; lines: number }[] };
    expect(runs).toHaveLength(prompts.length);
    for (const { run, lines } of runs) {
      const has = new Set(linesOf(before, run));
      after.say({ type: "replay", run, after: Math.max(0, ...has) });
      await after.until((messages) => messages.some((each) => each.type === "replayed" && each.run === run));
      const all = new Set([...has, ...linesOf(after, run)]);
      expect([run, [...all].toSorted((left, right) => left - right)]).toEqual([
        run,
        Array.from({ length: lines }, (_, index) => index + 1),
      ]);
    }
  });

  it("shows a run as cut off when its process is killed", async () => {
    const monitor = await serve();
    using listener = await listenTo(monitor.url, { ...monitor, query: "?subscribe=runs" });
    const host = startTraceHost({ directory, home, prompts: ["a.txt one"], hangAt: "tool-end" });
    await listener.until((messages) => messages.some(({ type, run }) => type === "run" && run.state === "running"));
    const working = (await ask(`${monitor.url}/api/processes`, monitor)).json;
    expect(working.processes).toMatchObject([{ process_id: host.process.pid, state: "working" }]);
    expect(working.processes[0].memory_bytes).toBeGreaterThan(1_000_000);
    const killedAtMs = Date.now();
    host.process.kill("SIGKILL");
    await listener.until((messages) => messages.some(({ type, run }) => type === "run" && run.state === "interrupted"));
    expect(Date.now() - killedAtMs).toBeLessThan(5000);
    expect((await ask(`${monitor.url}/api/health`, monitor)).json).toMatchObject({ running: 0 });
    expect((await ask(`${monitor.url}/api/runs?state=interrupted`, monitor)).json.runs).toHaveLength(1);
  });

  it("writes its token nowhere, ends on a signal, and leaves nothing that says it runs", async () => {
    const monitor = await serve();
    await ask(`${monitor.url}/api/health`, monitor);
    await ask(`${monitor.url}/api/health`, { token: "x".repeat(43) });
    await startTraceHost({ directory, home, prompts: ["a.txt one"] }).ended;
    for (const shown of ["cmdline", "environ"]) {
      const text = await readFile(`/proc/${monitor.process.pid}/${shown}`, "latin1").catch(() => "");
      expect([shown, text.includes(monitor.token)]).toEqual([shown, false]);
    }
    expect(await filesWith(home, monitor.token)).toEqual([join("monitor", "token")]);
    monitor.process.kill("SIGTERM");
    await once(monitor.process, "close");
    expect(monitor.process.exitCode).toBe(0);
    expect(monitor.output()).not.toContain(monitor.token);
    await expect(readFile(join(home, "monitor", "server.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
