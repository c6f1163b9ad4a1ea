import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, listenTo } from "../../../test/support/monitor-client.ts";
import { startMonitor, type MonitorOptions } from "../monitor.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-monitor-"));
});

afterEach(async () => await rm(home, { recursive: true, force: true }));

const start = (options: MonitorOptions = {}): ReturnType<typeof startMonitor> =>
  startMonitor({ home, port: 0, transcriptsHome: join(home, "claude"), ...options });

describe("a monitor", () => {
  it("keeps its token for its owner, and has the same one when it is started again", async () => {
    const first = await start();
    await first.close();
    await using second = await start();
    expect(second.token).toBe(first.token);
    expect((await stat(join(home, "monitor"))).mode & 0o777).toBe(0o700);
    for (const name of ["token", "server.json", "events.sock"]) {
      expect([name, (await stat(join(home, "monitor", name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(await readFile(join(home, "monitor", "server.json"), "utf8")).not.toContain(second.token);
  });

  it("is the only one of its data folder", async () => {
    await using first = await start();
    await expect(start()).rejects.toMatchObject({ kind: "conflict", target: first.url });
  });

  it("takes the place of one that was killed", async () => {
    await mkdir(join(home, "monitor"));
    await writeFile(join(home, "monitor", "server.json"), "{}");
    await writeFile(join(home, "monitor", "server.lock"), "");
    await writeFile(join(home, "monitor", "events.sock"), "");
    await using monitor = await start();
    expect((await ask(`${monitor.url}/api/health`, monitor)).status).toBe(200);
  });

  it("says when its port is in use, and leaves the place to others", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { readonly port: number };
    await expect(start({ port })).rejects.toMatchObject({ kind: "conflict", target: `127.0.0.1:${port}` });
    other.close();
    await using monitor = await start();
    expect(monitor.port).not.toBe(port);
  });

  it("says when the data folder cannot be written", async () => {
    await writeFile(join(home, "monitor"), "in the way");
    await expect(start()).rejects.toMatchObject({ kind: "filesystem", target: join(home, "monitor") });
  });

  it("refuses a token that others can read, and one that is too short", async () => {
    const tokenFile = join(home, "own");
    await writeFile(tokenFile, `${"t".repeat(40)}\n`);
    await chmod(tokenFile, 0o644);
    await expect(start({ tokenFile })).rejects.toMatchObject({ kind: "policy", target: tokenFile });
    await writeFile(tokenFile, "short");
    await chmod(tokenFile, 0o600);
    await expect(start({ tokenFile })).rejects.toMatchObject({ kind: "config", target: tokenFile });
  });

  it("listens to other machines only with a flag, a token of its own, and TLS or a proxy", async () => {
    const tokenFile = join(home, "own");
    await writeFile(tokenFile, "t".repeat(40), { mode: 0o600 });
    const proxyUrl = "https://skein.example";
    const missing: readonly MonitorOptions[] = [
      {},
      { allowRemote: true },
      { allowRemote: true, tokenFile },
      { allowRemote: true, proxyUrl },
      { tokenFile, proxyUrl },
    ];
    for (const options of missing) {
      await expect(start({ host: "0.0.0.0", ...options })).rejects.toMatchObject({ kind: "policy", target: "--host" });
    }
    await expect(start({ proxyUrl: "http://skein.example" })).rejects.toMatchObject({ kind: "usage" });
    await using monitor = await start({ host: "0.0.0.0", allowRemote: true, tokenFile, proxyUrl });
    const headers = { host: "skein.example" };
    expect((await ask(`${monitor.url}/api/health`, { token: "t".repeat(40), headers })).status).toBe(200);
    expect(monitor.loginUrl()).toMatch(/^https:\/\/skein\.example\/\?code=/u);
  });

  it("shows what it can read beside a journal of a newer version, and beside what is none", async () => {
    const run = "019a9a2e-0000-7000-8000-000000000001";
    await mkdir(join(home, "events"));
    await writeFile(
      join(home, "events", `${run}.jsonl`),
      `{"type":"run-start","version":2,"timestamp":"2026-11-19T00:00:00Z"}\n`,
    );
    await writeFile(join(home, "events", "notes.txt"), "mine");
    await using monitor = await start();
    expect((await ask(`${monitor.url}/api/runs`, monitor)).json).toEqual({ runs: [], next_offset: null });
    expect((await ask(`${monitor.url}/api/runs/${run}`, monitor)).status).toBe(404);
  });

  it("shows a run as cut off whose process was killed while no server ran", async () => {
    const run = "019a9a2e-0000-7000-8000-000000000001";
    const process = { pid: 4_194_303, startTime: "1" };
    const about = { run, kind: "turn", workspace: "/w", directory: "/w", process };
    const start1 = { type: "run-start", version: 1, timestamp: "2026-11-19T00:00:00Z", ...about };
    await mkdir(join(home, "events"));
    await writeFile(join(home, "events", `${run}.jsonl`), `${JSON.stringify(start1)}\n`);
    await using monitor = await start();
    expect((await ask(`${monitor.url}/api/runs`, monitor)).json.runs).toMatchObject([{ run, state: "interrupted" }]);
  });

  it("answers for a store of a newer version with an error that names it", async () => {
    const folder = join(home, "workspaces", "newer-0000");
    await mkdir(join(folder, "store.git"), { recursive: true });
    await writeFile(join(folder, "store.git", "config"), "");
    await writeFile(join(folder, "workspace.json"), `{"version":2,"path":"/newer","createdAt":"2026-11-19T00:00:00Z"}`);
    await using monitor = await start();
    expect((await ask(`${monitor.url}/api/workspaces`, monitor)).json).toEqual({ workspaces: [] });
    for (const part of ["", "/states", "/tree", "/states/@/files"]) {
      const { status, json } = await ask(`${monitor.url}/api/workspaces/newer-0000${part}`, monitor);
      const { kind, target } = json.error;
      expect([part, status, kind, target]).toEqual([part, 400, "parse", join(folder, "workspace.json")]);
    }
    expect((await ask(`${monitor.url}/api/workspaces/none`, monitor)).json.error.kind).toBe("state_not_found");
  });

  it("is told by its socket of nothing that no journal has, and lives on whatever is sent there", async () => {
    await using monitor = await start();
    const { socket: path } = JSON.parse(await readFile(join(home, "monitor", "server.json"), "utf8")) as {
      readonly socket: string;
    };
    const run = "019a9a2e-0000-7000-8000-000000000001";
    using listener = await listenTo(monitor.url, { ...monitor, query: "?subscribe=runs,events,deltas" });
    const event = { type: "text-delta", timestamp: "2026-11-19T00:00:00Z", text: "forged" };
    const lines = [
      { type: "written", run, line: 9 },
      { type: "delta", run, line: 1, event },
      { type: "written", run: "../../token", line: 1 },
      "nonsense",
    ];
    for (const sent of [lines.map((line) => `${JSON.stringify(line)}\n`).join(""), "{", "x".repeat(2_000_000)]) {
      const socket = connect(path);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => {});
      socket.end(sent);
      socket.resume();
      await closed;
    }
    listener.say({ type: "ping" });
    await listener.until((messages) => messages.some(({ type }) => type === "pong"));
    expect(listener.messages.map(({ type }) => type as string)).toEqual(["hello", "snapshot", "pong"]);
    expect((await ask(`${monitor.url}/api/runs`, monitor)).json.runs).toEqual([]);
  });

  it("finds a place for its socket where the data folder's path is too long for one", async () => {
    const deep = join(home, "d".repeat(120));
    await mkdir(deep);
    await using monitor = await start({ home: deep });
    const { socket } = JSON.parse(await readFile(join(deep, "monitor", "server.json"), "utf8")) as {
      readonly socket: string;
    };
    expect(socket.startsWith(deep)).toBe(false);
    expect((await stat(join(socket, ".."))).mode & 0o777).toBe(0o700);
    await monitor.close();
    await expect(stat(join(socket, ".."))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
