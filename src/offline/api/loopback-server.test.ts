import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as send } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRecordingProxy } from "../cassette/record.ts";
import { startReplayServer } from "../cassette/replay.ts";
import { defineScenario } from "../scenarios/scenario.ts";
import { startOfflineServer } from "../server.ts";
import type { LoopbackServer } from "./loopback-server.ts";

const scenario = defineScenario({ name: "foreign", rules: [{ steps: [{ say: "hello" }] }] });

let folder: string;
let model: LoopbackServer;
let recorder: LoopbackServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-foreign-"));
  model = await startOfflineServer({ scenario });
  recorder = await startRecordingProxy({ upstream: model.url, cassettePath: join(folder, "tape.jsonl") });
});

afterAll(async () => {
  await recorder.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a page of another site can have a browser send. */
const FOREIGN: readonly Headers[] = [
  { host: "evil.example" },
  { host: "evil.example:{{port}}" },
  { host: "127.0.0.1.evil.example:{{port}}" },
  { host: "localhost.:{{port}}" },
  { host: "127.0.0.1@evil.example" },
  { host: "evil.example/127.0.0.1" },
  { host: "0.0.0.0:{{port}}" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://localhost:1" },
  { origin: "https://127.0.0.1:{{port}}" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "same-origin, cross-site" },
];

/** What programs on this machine send, and a person who types the address. */
const OWN: readonly Headers[] = [
  {},
  { host: "localhost:{{port}}" },
  { host: "LOCALHOST" },
  { host: "[::1]:{{port}}" },
  { host: "127.0.0.1:1" },
  { origin: "http://127.0.0.1:{{port}}" },
  { "sec-fetch-site": "none" },
];

test("an offline model, a recorder and a replay refuse what another site's page sends, and read nothing of it", async () => {
  const asked: unknown[] = [];
  await using watched = await startOfflineServer({ scenario, onRequest: (request) => asked.push(request) });
  for (const server of [watched, recorder]) {
    for (const headers of FOREIGN) {
      const { status, body } = await post(server, headers);
      expect({ headers, status, body: JSON.parse(body) as unknown }).toEqual({
        headers,
        status: 403,
        body: {
          type: "error",
          error: { type: "permission_error", message: expect.stringContaining("answers programs on this machine") },
          request_id: expect.any(String),
        },
      });
    }
  }
  expect(asked).toEqual([]);
});

test("programs on this machine are answered under each of its names", async () => {
  for (const headers of OWN)
    expect({ headers, ...(await post(model, headers)) }).toMatchObject({ headers, status: 200 });
});

test("a recorder passes no other host's address on, and a refused request is not on the cassette", async () => {
  const cassettePath = join(folder, "other.jsonl");
  const proxy = await startRecordingProxy({ upstream: model.url, cassettePath });
  const answer = await raw(
    proxy,
    `GET ${model.url}/v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 403 /u);
  expect((await post(proxy, { origin: "https://evil.example" })).status).toBe(403);
  await proxy.close();
  expect((await readFile(cassettePath, "utf8")).trim().split("\n")).toHaveLength(1);
  await using replay = await startReplayServer({ cassettePath });
  expect((await post(replay, { host: "evil.example" })).status).toBe(403);
  expect(replay.unmatched).toEqual([]);
});

test("a request that names no host is refused", async () => {
  expect(await raw(model, "GET /v1/models HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /u);
});

test("a page's question whether it may send is refused too", async () => {
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  expect((await post(model, headers, "OPTIONS")).status).toBe(403);
});

type Headers = Readonly<Record<string, string>>;

async function post(server: LoopbackServer, headers: Headers, method = "POST"): Promise<Answer> {
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace("{{port}}", String(server.port))]);
  const options = { method, headers: { "content-type": "text/plain", ...Object.fromEntries(filled) }, agent: false };
  return await new Promise<Answer>((resolve, reject) => {
    const request = send(`${server.url}/v1/messages`, options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode, body }));
    });
    request.on("error", reject);
    request.end(
      JSON.stringify({ model: "claude-sonnet-5", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
    );
  });
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function raw({ port }: LoopbackServer, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (answer += chunk));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
