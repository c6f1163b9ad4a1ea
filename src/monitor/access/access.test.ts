import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ask, listenTo } from "../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../monitor.ts";
import { createLogin } from "./login.ts";
import { createSlowDown } from "./slow-down.ts";

let root: string;
let monitor: Monitor;
let workspace: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-access-")));
  const [home, directory] = [join(root, "home"), join(root, "work")];
  await mkdir(directory);
  await writeFile(join(root, "outside.txt"), "OUTSIDE");
  await symlink(join(root, "outside.txt"), join(directory, "link"));
  await startTraceHost({ directory, home, prompts: ["a.txt one"] }).ended;
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "claude") });
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  workspace = `${monitor.url}/api/workspaces/${workspaces[0].id as string}`;
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

const health = (): string => `${monitor.url}/api/health`;

describe("who asks a monitor", () => {
  it("needs its token, by every address", async () => {
    for (const path of ["/api/health", "/api/openapi.json", "/api/none", "/none", "/api/stream"]) {
      const { status, json } = await ask(`${monitor.url}${path}`);
      expect([path, status, json.error.kind]).toEqual([path, 401, "auth"]);
    }
    const page = await ask(monitor.url);
    expect([page.status, page.text.includes(monitor.token)]).toEqual([401, false]);
    for (const authorization of ["Bearer", "Bearer x", `Basic ${monitor.token}`, monitor.token]) {
      expect((await ask(health(), { headers: { authorization } })).status).toBe(401);
    }
    expect((await ask(`${health()}?token=${monitor.token}`)).status).toBe(401);
    expect((await ask(health(), monitor)).status).toBe(200);
  });

  it("calls it by its own name: no other leads to it", async () => {
    for (const host of [
      "evil.example",
      `evil.example:${monitor.port}`,
      "127.0.0.1",
      `127.0.0.1:${monitor.port}.evil.example`,
    ]) {
      const { status, json } = await ask(health(), { ...monitor, headers: { host } });
      expect([host, status, json?.error.kind]).toEqual([host, 403, "policy"]);
    }
    expect((await ask(health(), { ...monitor, headers: { host: `localhost:${monitor.port}` } })).status).toBe(200);
  });

  it("is no page of another site", async () => {
    const origins = [
      "https://evil.example",
      "null",
      `http://127.0.0.1:${monitor.port + 1}`,
      `https://127.0.0.1:${monitor.port}`,
    ];
    for (const origin of origins) {
      expect([origin, (await ask(health(), { ...monitor, headers: { origin } })).status]).toEqual([origin, 403]);
    }
    expect((await ask(health(), { ...monitor, headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    expect((await ask(health(), { ...monitor, headers: { "sec-fetch-site": "same-site" } })).status).toBe(403);
    expect((await ask(health(), { ...monitor, headers: { origin: monitor.url } })).status).toBe(200);
  });

  it("comes with a browser by a code that works once, and has a cookie from then on that pages of others cannot use", async () => {
    const address = monitor.loginUrl();
    const first = await ask(address);
    const [given = ""] = first.headers["set-cookie"] ?? [];
    expect(given).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/u);
    expect(given).not.toContain(monitor.token);
    const cookie = given.split(";")[0] ?? "";
    expect((await ask(health(), { headers: { cookie } })).status).toBe(200);
    expect((await ask(monitor.url, { headers: { cookie } })).status).toBe(200);
    expect((await ask(health(), { headers: { cookie, origin: "https://evil.example" } })).status).toBe(403);
    expect((await ask(health(), { headers: { cookie }, method: "POST" })).status).toBe(403);
    await expect(listenTo(monitor.url, { token: "", headers: { cookie, authorization: "" } })).rejects.toThrow();
    expect((await ask(address)).headers["set-cookie"]).toBeUndefined();
    expect((await ask(health(), { headers: { cookie: `${cookie}x` } })).status).toBe(401);
  });

  it("is told by every answer that nothing comes from elsewhere and nothing is kept", async () => {
    const { headers } = await ask(health(), monitor);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("sends no body with what is only read, whatever its size, and no header without end", async () => {
    for (const body of ["x", Buffer.alloc(5_000_000)]) {
      const answer = await ask(health(), { ...monitor, method: "GET", body }).catch(() => undefined);
      expect(answer?.status ?? 413).toBe(413);
    }
    expect((await ask(health(), { ...monitor, method: "POST", body: "x" })).status).toBe(404);
    const long = await ask(health(), { ...monitor, headers: { "x-long": "x".repeat(20_000) } }).catch(() => undefined);
    expect(long?.status ?? 431).toBe(431);
    expect((await ask(health(), monitor)).status).toBe(200);
  });
});

describe("what is asked for", () => {
  it("leads nowhere outside of a state, by no path and by no link", async () => {
    const paths = [
      "../outside.txt",
      "../../etc/passwd",
      "/etc/passwd",
      `${root}/outside.txt`,
      "a.txt/../../outside.txt",
      "link/../../outside.txt",
      "a.txt%00",
      ".",
      "",
      "link/x",
    ];
    for (const path of paths) {
      const { status, text: answered } = await ask(
        `${workspace}/states/@/file?path=${encodeURIComponent(path)}`,
        monitor,
      );
      expect([path, status < 500 && status >= 400, answered.includes("OUTSIDE")]).toEqual([path, true, false]);
    }
    const link = await ask(`${workspace}/states/@/file?path=link`, monitor);
    expect(link.json).toMatchObject({ content: join(root, "outside.txt") });
    expect((await ask(`${workspace}/states/@/file?path=a.txt`, monitor)).json).toMatchObject({
      content: "one",
      encoding: "utf8",
    });
  });

  it("is a workspace that there is, a run or a session: no name is made a path", async () => {
    const names = ["..", "../..", "%2e%2e", "..%2f..", "%2e%2e%2f%2e%2e%2fetc", "none", "a%00b", "--help", "%"];
    for (const name of names) {
      for (const path of [
        `workspaces/${name}`,
        `workspaces/${name}/states`,
        `runs/${name}`,
        `runs/${name}/events`,
        `sessions/${name}`,
      ]) {
        const { status } = await ask(`${monitor.url}/api/${path}`, monitor);
        expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      }
    }
    for (const state of ["--all", "-h", "refs%2Fheads%2Fmain", "@{upstream}", "%20", "../x"]) {
      const { status } = await ask(`${workspace}/states/${encodeURIComponent(state)}`, monitor);
      expect([state, status >= 400 && status < 500]).toEqual([state, true]);
    }
  });

  it("is understood as it is described, or refused with the name of what is wrong", async () => {
    for (const [query, target] of [
      ["limit=0", "limit"],
      ["limit=many", "limit"],
      ["offset=-1", "offset"],
      ["order=worst", "order"],
      ["limit=1&limit=2", "limit"],
      ["colour=red", "colour"],
    ] as const) {
      const { status, json } = await ask(`${workspace}/states?${query}`, monitor);
      expect([query, status, json.error.kind, json.error.target]).toEqual([query, 400, "usage", target]);
    }
  });
});

describe("a WebSocket", () => {
  it("is opened by nobody without the token, from elsewhere, or for what there is not", async () => {
    const address = `${monitor.url.replace("http", "ws")}/api/stream`;
    const authorization = `Bearer ${monitor.token}`;
    for (const [path, headers, status] of [
      ["", {}, 401],
      ["", { authorization: "Bearer wrong" }, 401],
      ["", { authorization, origin: "https://evil.example" }, 403],
      ["", { authorization, host: "evil.example" }, 403],
      ["?subscribe=everything", { authorization }, 400],
      ["/more", { authorization }, 404],
    ] as const) {
      const socket = new WebSocket(`${address}${path}`, { headers });
      const [, response] = (await once(socket, "unexpected-response")) as [unknown, { readonly statusCode: number }];
      socket.on("error", () => {});
      socket.terminate();
      expect([path, headers, response.statusCode]).toEqual([path, headers, status]);
    }
  });

  it("says what it does not understand, goes on, and is closed by a frame that is too large or broken", async () => {
    using listener = await listenTo(monitor.url, monitor);
    for (const wrong of ["{", "[]", '{"type":"explode"}', '{"type":"replay","run":"../../x","after":0}'])
      listener.say(wrong);
    listener.say({ type: "ping" });
    await listener.until((messages) => messages.some(({ type }) => type === "pong"));
    expect(listener.messages.filter(({ type }) => type === "error").map(({ error }) => error.kind)).toEqual(
      Array.from({ length: 4 }, () => "invalid_request"),
    );
    const closed = once(listener.socket, "close");
    listener.say("x".repeat(100_000));
    expect((await closed)[0]).toBe(1009);
    using other = await listenTo(monitor.url, monitor);
    const broken = once(other.socket, "close");
    // A frame with reserved bits, and more of it than it may have, sent below the client.
    const below = Object.entries(other.socket).find(([name]) => name === "_socket")?.[1] as Socket;
    below.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await broken;
    expect((await ask(health(), monitor)).status).toBe(200);
  });

  it("takes nothing that is no HTTP, and lives on", async () => {
    const socket = connect(monitor.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GARBAGE\0\r\n\r\n");
    await text(socket).catch(() => "");
    expect((await ask(health(), monitor)).status).toBe(200);
  });
});

describe("whoever guesses", () => {
  it("waits longer each time, and is turned away where many wait", async () => {
    const slept: number[] = [];
    let now = 0;
    let isStuck = false;
    const clock = {
      now: () => now,
      sleep: async (ms: number) => {
        slept.push(ms);
        if (isStuck) await new Promise(() => {});
      },
    };
    const slowDown = createSlowDown(clock);
    for (let count = 0; count < 12; count += 1) expect(await slowDown.afterFailure()).toBe(true);
    expect(slept).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
    now = 120_000;
    expect(await slowDown.afterFailure()).toBe(true);
    expect(slept).toHaveLength(7);
    isStuck = true;
    for (let count = 0; count < 20; count += 1) void slowDown.afterFailure();
    expect(await slowDown.afterFailure()).toBe(false);
  });

  it("has no use for a code that is old, or a cookie of another token", () => {
    let now = 0;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const login = createLogin("t".repeat(40), clock);
    const code = login.createCode();
    now = 11 * 60_000;
    expect(login.redeem(code)).toBeUndefined();
    const cookie = login.redeem(login.createCode()) ?? "";
    expect(createLogin("t".repeat(40), clock).accepts(cookie)).toBe(true);
    expect(createLogin("u".repeat(40), clock).accepts(cookie)).toBe(false);
    now += login.sessionMs + 1;
    expect(login.accepts(cookie)).toBe(false);
  });
});
