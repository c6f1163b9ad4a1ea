import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Answer } from "../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../monitor.ts";

let root: string;
let home: string;
let monitor: Monitor;
let checkpoint: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-changing-")));
  home = join(root, "home");
  await mkdir(join(root, "work"));
  await startTraceHost({ directory: join(root, "work"), home, prompts: ["a.txt one"] }).ended;
  monitor = await startMonitor({ home, port: 0, transcriptsHome: join(root, "claude") });
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  checkpoint = `/api/workspaces/${workspaces[0].id as string}/checkpoints/good`;
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

const json = { "content-type": "application/json" };

async function put(
  { headers = json, body = '{"state":"@"}', ...given }: NonNullable<Parameters<typeof ask>[1]>,
  { url }: Monitor = monitor,
): Promise<Answer> {
  return await ask(`${url}${checkpoint}`, { method: "PUT", headers, body, ...given });
}

async function cookieOf({ loginUrl }: Monitor): Promise<string> {
  const [given = ""] = (await ask(loginUrl())).headers["set-cookie"] ?? [];
  return given.split(";")[0] ?? "";
}

describe("who changes something by a monitor", () => {
  it("is a program with the token, or the server's own page, and no page of another", async () => {
    const cookie = await cookieOf(monitor);
    const refused: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
      [json, 401],
      [{ ...json, authorization: "Bearer wrong" }, 401],
      [{ ...json, cookie }, 403],
      [{ ...json, cookie, origin: "https://evil.example" }, 403],
      [{ ...json, cookie, origin: "null" }, 403],
      [{ ...json, cookie, origin: monitor.url, "sec-fetch-site": "cross-site" }, 403],
      // What a form of another page sends, where a browser forgot to say whose it is.
      [{ cookie, "content-type": "text/plain" }, 403],
      [{ cookie, "content-type": "application/x-www-form-urlencoded" }, 403],
    ];
    for (const [headers, status] of refused) {
      const answer = await put({ headers });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
    expect((await put({ token: monitor.token })).json).toMatchObject({ name: "good" });
    const own = { ...json, cookie, origin: monitor.url, "sec-fetch-site": "same-origin" };
    expect((await put({ headers: own, body: '{"state":"@","replace":true}' })).status).toBe(200);
    const removed = await ask(`${monitor.url}${checkpoint}`, { ...monitor, method: "DELETE" });
    expect([removed.status, removed.json.name]).toEqual([200, "good"]);
  });

  it("sends JSON that says it is, of a size that can be held, with the fields that are described", async () => {
    const { token } = monitor;
    const large = JSON.stringify({ state: "x".repeat(300_000) });
    for (const [given, status, kind, target] of [
      [{ headers: { "content-type": "text/plain" } }, 400, "usage", "Content-Type"],
      [{ headers: { "content-type": "application/jsonp" } }, 400, "usage", "Content-Type"],
      [{ headers: {} }, 400, "usage", "Content-Type"],
      [{ body: "{" }, 400, "parse", "body"],
      [{ body: "" }, 400, "parse", "body"],
      [{ body: "[]" }, 400, "usage", "body"],
      [{ body: '{"state":1}' }, 400, "usage", "state"],
      [{ body: '{"__proto__":{"replace":true}}' }, 400, "usage", "__proto__"],
      [{ body: '{"states":"@"}' }, 400, "usage", "states"],
      [{ body: large }, 413, "resource_exhausted", "body"],
      [{ body: large, headers: { ...json, "transfer-encoding": "chunked" } }, 413, "resource_exhausted", "body"],
    ] as const) {
      const answer = await put({ token, ...given });
      const { error } = answer.json;
      expect([given, answer.status, error.kind, error.target]).toEqual([given, status, kind, target]);
    }
  });

  it("changes nothing where the server only shows", async () => {
    await monitor.close();
    monitor = await startMonitor({ home, port: 0, readOnly: true, transcriptsHome: join(root, "claude") });
    const { status, json: answered } = await put({ token: monitor.token });
    expect([status, answered.error.kind, answered.error.target]).toEqual([403, "policy", "setCheckpoint"]);
    expect((await ask(`${monitor.url}/api/health`, monitor)).json).toMatchObject({
      read_only: true,
      allow_commands: false,
    });
    const removed = await ask(`${monitor.url}${checkpoint}`, { ...monitor, method: "DELETE" });
    expect(removed.json.error.target).toBe("removeCheckpoint");
  });
});
