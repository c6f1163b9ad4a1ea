import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, listenTo } from "../../../test/support/monitor-client.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { startTraceHost } from "../../../test/support/start-trace-host.ts";
import { systemClock } from "../../core/internal.ts";
import { ROUTES } from "../api/routes.ts";
import { startMonitor, type Monitor } from "../monitor.ts";

let root: string;
let monitor: Monitor;
let slept: number[];
/** What there is to ask for: a run, its workspace and its session. */
let run: string;
let known: Readonly<Record<string, string>>;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-hostile-")));
  const [home, directory] = [join(root, "home"), join(root, "work")];
  await mkdir(directory);
  await startTraceHost({ directory, home, prompts: ["a.txt one"] }).ended;
  slept = [];
  // Only the waits of those who guess are passed over: what the server looks at once a second, it does as ever.
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal) return await systemClock.sleep(ms, signal);
    slept.push(ms);
  };
  monitor = await startMonitor({
    home,
    port: 0,
    transcriptsHome: join(root, "claude"),
    clock: { ...systemClock, sleep },
  });
  const [{ run: id, session_id: session }] = (await ask(`${monitor.url}/api/runs`, monitor)).json.runs;
  const [{ id: workspace }] = (await ask(`${monitor.url}/api/workspaces`, monitor)).json.workspaces;
  run = id as string;
  known = { run, workspace, state: "@", session };
});

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

/** The server answers, and knows what it knew. */
async function isWell(): Promise<boolean> {
  const { status, json } = await ask(`${monitor.url}/api/runs/${run}`, monitor);
  return status === 200 && json.run.lines === 7;
}

/** Names and values as they are meant, as somebody might try them, and at random. */
const queryName = fc.oneof(
  fc.constantFrom("limit", "offset", "after", "path", "sort", "order", "state", "words", "workspace", "kind", "from"),
  fc.string({ maxLength: 12 }),
  fc.constantFrom("__proto__", "constructor", "toString"),
);
const queryValue = fc.oneof(
  fc.integer().map(String),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("", "../../etc/passwd", "\0", "%00", "NaN", "1e999", "-0", '"', "' or 1=1 --", "[]", "*", "^(a+)+$"),
);

describe("a server that is asked nonsense", () => {
  it("answers each address, whatever its names and its query, with what it describes or with a mistake of the asker", async () => {
    const asked = fc.record({
      route: fc.constantFrom(...ROUTES.filter(({ method }) => method === "GET")),
      parts: fc.array(
        fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: queryValue }),
        {
          minLength: 2,
          maxLength: 2,
        },
      ),
      query: fc.array(fc.tuple(queryName, queryValue), { maxLength: 4 }),
    });
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(asked, async ({ route, parts, query }) => {
        let next = 0;
        const path = route.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
          return encodeURIComponent(parts[next++] ?? known[name] ?? "") || "%20";
        });
        const words = query.map((pair) => pair.map((each) => encodeURIComponent(each)).join("=")).join("&");
        const answer = await ask(`${monitor.url}${path}?${words}`, monitor);
        seen.add(answer.status);
        const isAnswer = answer.status === 200 && route.data.safeParse(answer.json).success;
        const isRefusal = answer.status >= 400 && answer.status < 500 && typeof answer.json.error.kind === "string";
        expect([answer.status, isAnswer || isRefusal, answer.text.includes(monitor.token)]).toEqual([
          answer.status,
          true,
          false,
        ]);
      }),
      { numRuns: propertyRuns({ few: 150, all: 3000 }) },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404]));
    expect(await isWell()).toBe(true);
  });

  it("answers no address that is broken but with a mistake of the asker", async () => {
    for (const path of ["%", "%ff", "/%c0%ae%c0%ae/", "//evil.example/api/runs", "/api/runs/%"]) {
      const { status } = await ask(`${monitor.url}${path.startsWith("/") ? path : `/${path}`}`, monitor);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    for (const query of ["%", "limit=%", "limit=%ff", "=", "&&&", "limit", "a".repeat(9000)]) {
      const { status } = await ask(`${monitor.url}/api/runs?${query}`, monitor);
      expect([query.slice(0, 20), status < 500]).toEqual([query.slice(0, 20), true]);
    }
    expect(await isWell()).toBe(true);
  });
});

describe("a WebSocket that is sent nonsense", () => {
  it("answers each message, and leaves whoever listens beside it alone", async () => {
    using other = await listenTo(monitor.url, { ...monitor, query: "?subscribe=runs" });
    using listener = await listenTo(monitor.url, monitor);
    const message = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.record({ type: fc.constantFrom("ping", "subscribe", "replay"), topics: fc.jsonValue(), run: fc.jsonValue() }),
      fc.record({ type: fc.constant("replay"), run: fc.constantFrom(run), after: fc.oneof(fc.integer(), fc.double()) }),
      fc.record({ type: fc.constant("subscribe"), topics: fc.array(fc.string(), { maxLength: 80 }) }),
    );
    let pongs = 0;
    await fc.assert(
      fc.asyncProperty(message, async (said) => {
        listener.say(said);
        listener.say({ type: "ping" });
        pongs += 1;
        await listener.until((messages) => messages.filter(({ type }) => type === "pong").length >= pongs);
        // A ping that was made by chance is answered too.
        pongs = listener.messages.filter(({ type }) => type === "pong").length;
      }),
      { numRuns: propertyRuns({ few: 200, all: 2000 }) },
    );
    expect(listener.messages.some(({ type }) => type === "error")).toBe(true);
    expect(JSON.stringify(listener.messages)).not.toContain(monitor.token);
    other.say({ type: "ping" });
    await other.until((messages) => messages.some(({ type }) => type === "pong"));
    expect(other.messages.map(({ type }) => type as string)).toEqual(["hello", "snapshot", "pong"]);
  });

  it("is ended by bytes that are no frame, and nobody else is", async () => {
    using other = await listenTo(monitor.url, monitor);
    const key = randomBytes(16).toString("base64");
    const head = `GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${monitor.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nAuthorization: Bearer ${monitor.token}\r\n\r\n`;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 2, maxLength: 300 }), async (bytes) => {
        const socket = connect(monitor.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(head);
        await once(socket, "data");
        socket.end(bytes);
        await text(socket).catch(() => "");
      }),
      { numRuns: propertyRuns({ few: 40, all: 400 }) },
    );
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    expect(await isWell()).toBe(true);
  });

  it("has its handshake refused where it is none", async () => {
    const authorization = `Bearer ${monitor.token}`;
    const upgrade = { authorization, connection: "Upgrade", upgrade: "websocket" };
    for (const headers of [
      upgrade,
      { ...upgrade, "sec-websocket-key": "short", "sec-websocket-version": "13" },
      { ...upgrade, "sec-websocket-key": randomBytes(16).toString("base64"), "sec-websocket-version": "99" },
      { ...upgrade, upgrade: "h2c" },
    ]) {
      const { status } = await ask(`${monitor.url}/api/stream`, { headers });
      expect([headers, status]).toEqual([headers, status === 426 ? 426 : 400]);
    }
    expect(await isWell()).toBe(true);
  });
});

describe("whoever tries tokens", () => {
  it("is made to wait by each way in, while whoever has the right one is not", async () => {
    const wrong = (path: string): ReturnType<typeof ask> =>
      ask(`${monitor.url}${path}`, { token: randomBytes(32).toString("base64url") });
    slept.length = 0;
    for (const path of ["/api/health", "/api/runs", "/api/stream", "/", "/api/none"]) await wrong(path);
    expect(slept).toEqual([]);
    await ask(`${monitor.url}/?code=${randomBytes(24).toString("base64url")}`);
    const cookie = `skein-${monitor.port}=1.a.${randomBytes(32).toString("base64url")}`;
    expect((await ask(`${monitor.url}/api/health`, { headers: { cookie } })).status).toBe(401);
    await expect(listenTo(monitor.url, { token: "wrong" })).rejects.toThrow();
    await wrong("/api/health");
    expect(slept).toEqual([200, 400, 800, 1600]);
    expect(await isWell()).toBe(true);
    expect(slept).toHaveLength(4);
  });

  it("learns it from no refusal", async () => {
    const refused = await Promise.all([
      ask(`${monitor.url}/api/health`),
      ask(`${monitor.url}/api/health`, { token: "x" }),
      ask(`${monitor.url}/api/health`, { ...monitor, headers: { host: "evil.example" } }),
      ask(`${monitor.url}/api/health`, { ...monitor, headers: { origin: "https://evil.example" } }),
      ask(`${monitor.url}/api/${monitor.token}`, { token: "x" }),
      ask(monitor.url),
      ask(`${monitor.url}/?code=x`),
    ]);
    for (const { text: said, headers } of refused) {
      expect(`${said}${JSON.stringify(headers)}`).not.toContain(monitor.token);
    }
  });
});
