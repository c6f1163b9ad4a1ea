import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as startRequest,
  type ServerResponse,
} from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Clock } from "../../core/index.ts";
import { systemClock } from "../../core/internal.ts";
import { listenOnLoopback, type LoopbackServer } from "../api/loopback-server.ts";
import { readCassette } from "./cassette.ts";
import { type RecordingProxyOptions, startRecordingProxy } from "./record.ts";

const KEY = "sk-ant-api03-0123456789abcdef";
const FIRST = 'event: message_start\ndata: {"type":"message_start"}\n\n';
const SECOND = 'event: message_stop\ndata: {"type":"message_stop","é":1}\n\n';
const SSE = { "content-type": "text/event-stream", "request-id": "req_1", "x-other": "kept out" };

let directory: string;
let cassettePath: string;
let nowMs: number;
let servers: LoopbackServer[];

/** Real sleeping, and a time that the test sets. */
const clock: Clock = { ...systemClock, now: () => nowMs };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "skein-record-"));
  cassettePath = join(directory, "run.jsonl");
  nowMs = Date.parse("2026-11-15T09:00:00Z");
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(directory, { recursive: true, force: true });
});

test("a stream passes through as it comes, and is recorded with its timing", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, { model: "m", metadata: { user_id: "ann" } });
  const answer = await upstream.next();
  const received = client.response.then((response) => response[Symbol.asyncIterator]());

  nowMs += 300;
  answer.writeHead(200, SSE).write(FIRST);
  const chunks = await received;
  const first = await chunks.next();
  nowMs += 50;
  answer.end(SECOND);
  const second = await chunks.next();
  await proxy.close();

  expect([String(first.value), String(second.value)]).toEqual([FIRST, SECOND]);
  expect((await client.response).headers["x-other"]).toBe("kept out");
  expect(await readCassette(cassettePath)).toEqual({
    path: cassettePath,
    header: { type: "cassette", version: 1, recordedAt: "2026-11-15T09:00:00.000Z", upstream: upstream.url },
    exchanges: [
      {
        line: 2,
        exchange: {
          type: "exchange",
          request: {
            method: "POST",
            path: "/v1/messages?beta=true",
            headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "anthropic-beta": "b" },
            body: { model: "m", metadata: { user_id: "{{user}}" } },
          },
          response: {
            type: "stream",
            status: 200,
            headers: { "content-type": "text/event-stream", "request-id": "req_1" },
            events: [
              { delayMs: 300, text: FIRST },
              { delayMs: 50, text: SECOND },
            ],
            cut: false,
          },
          timing: { startedAt: "2026-11-15T09:00:00.000Z", firstByteMs: 300, durationMs: 350 },
        },
      },
    ],
  });
});

test("the upstream gets the key, and the file holds none, not even one that a tool or the model repeats", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, {
    messages: [{ role: "user", content: `env says ${KEY}` }],
    mcp: { authorization_token: "t0k" },
  });
  const answer = await upstream.next();
  const delta = (text: string): string =>
    `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })}\n\n`;
  const stream = delta(`It is ${KEY.slice(0, 15)}`) + delta(`${KEY.slice(15)}.`);
  answer.writeHead(200, SSE).end(stream);

  const passed = await textOf(await client.response);
  await proxy.close();

  expect(upstream.headers[0]).toMatchObject({
    "x-api-key": KEY,
    authorization: `Bearer ${KEY}-oauth`,
    "anthropic-beta": "b",
    "accept-encoding": "identity",
  });
  expect(passed).toBe(stream);
  expect((await stat(cassettePath)).mode & 0o777).toBe(0o600);
  const file = await readFile(cassettePath, "utf8");
  expect(file.match(/sk-ant|0123456789abcdef|t0k|Bearer/g)).toBeNull();
  const [recorded] = (await readCassette(cassettePath)).exchanges;
  expect(recorded?.exchange.request.body).toEqual({
    messages: [{ role: "user", content: "env says {{key}}" }],
    mcp: { authorization_token: "{{key}}" },
  });
  expect(recorded?.exchange.response).toMatchObject({
    events: [{ text: delta("It is {{key}}") }, { text: delta(".") }],
  });
});

test("an error of the API is recorded whole, with the time to wait", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, {});
  const answer = await upstream.next();
  answer.writeHead(429, { "content-type": "application/json", "retry-after": "3" }).end('{"type":"error"}');

  const response = await client.response;
  const text = await textOf(response);
  await proxy.close();

  expect([response.statusCode, response.headers["retry-after"], text]).toEqual([429, "3", '{"type":"error"}']);
  expect((await readCassette(cassettePath)).exchanges[0]?.exchange.response).toEqual({
    type: "body",
    status: 429,
    headers: { "content-type": "application/json", "retry-after": "3" },
    body: '{"type":"error"}',
  });
});

test("an upstream that cannot be reached is an error of the API, and nothing is recorded", async () => {
  const gone = await listenOnLoopback(() => undefined);
  await gone.close();
  const proxy = await startProxy({ upstream: gone.url });

  const response = await post(proxy, {}).response;
  const body: unknown = JSON.parse(await textOf(response));
  await proxy.close();

  expect(response.statusCode).toBe(502);
  expect(body).toEqual({
    type: "error",
    error: { type: "api_error", message: `The recording proxy cannot reach ${gone.url}: ECONNREFUSED` },
    request_id: expect.any(String),
  });
  expect((await readCassette(cassettePath)).exchanges).toEqual([]);
});

test("a request that is larger than the API takes goes no further", async () => {
  const { proxy, upstream } = await start();

  const response = await post(proxy, { text: "x".repeat(33 * 1024 * 1024) }).response;
  await proxy.close();

  expect([response.statusCode, upstream.headers]).toEqual([413, []]);
});

test("a client that goes away ends the upstream's work, and nothing is recorded", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, {});
  const answer = await upstream.next();
  answer.writeHead(200, SSE).write(FIRST);
  await once(await client.response, "readable");

  client.abort();
  await once(answer, "close");
  await proxy.close();

  expect(answer.writableFinished).toBe(false);
  expect((await readCassette(cassettePath)).exchanges).toEqual([]);
});

test("a stream that the upstream breaks is broken for the client too, and recorded as cut", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, {});
  const answer = await upstream.next();
  answer.writeHead(200, SSE).write(FIRST);
  const response = await client.response;
  await once(response, "readable");

  answer.destroy();

  await expect(textOf(response)).rejects.toMatchObject({ code: "ECONNRESET" });
  await proxy.close();
  expect((await readCassette(cassettePath)).exchanges[0]?.exchange.response).toMatchObject({
    events: [{ text: FIRST }],
    cut: true,
  });
});

test("closing waits for the answer that is still coming", async () => {
  const { proxy, upstream } = await start();
  const client = post(proxy, {});
  const answer = await upstream.next();
  answer.writeHead(200, SSE).write(FIRST);
  const text = client.response.then(textOf);
  await client.response;

  const closed = proxy.close();
  answer.end(SECOND);
  await closed;

  expect(await text).toBe(FIRST + SECOND);
  expect((await readCassette(cassettePath)).exchanges.length).toBe(1);
});

test("closing gives up on an answer that never comes", async () => {
  const { proxy, upstream } = await start({ closeTimeoutMs: 1 });
  const client = post(proxy, {});
  await upstream.next();

  await proxy.close();

  await expect(client.response).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await readCassette(cassettePath)).exchanges).toEqual([]);
});

test.each(["api.anthropic.com", "ftp://host", "https://user:password@host"])("%s is no upstream", async (upstream) => {
  await expect(startProxy({ upstream })).rejects.toMatchObject({ kind: "usage" });
});

interface Upstream {
  readonly url: string;
  readonly headers: readonly IncomingHttpHeaders[];
  /** The next request's response, for the test to write. */
  next(): Promise<ServerResponse>;
}

async function start(
  options: Partial<RecordingProxyOptions> = {},
): Promise<{ proxy: LoopbackServer; upstream: Upstream }> {
  const headers: IncomingHttpHeaders[] = [];
  const { promise, resolve } = waiting<ServerResponse>();
  const server = await listenOnLoopback((request, response) => {
    headers.push(request.headers);
    resolve(response);
  });
  servers.push(server);
  const proxy = await startProxy({ upstream: server.url, ...options });
  return { proxy, upstream: { url: server.url, headers, next: () => promise } };
}

async function startProxy(options: Omit<RecordingProxyOptions, "cassettePath">): Promise<LoopbackServer> {
  const proxy = await startRecordingProxy({ cassettePath, clock, ...options });
  servers.push(proxy);
  return proxy;
}

interface Client {
  readonly response: Promise<IncomingMessage>;
  abort(): void;
}

function post(server: LoopbackServer, body: object): Client {
  const headers = {
    "content-type": "application/json",
    "x-api-key": KEY,
    authorization: `Bearer ${KEY}-oauth`,
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "b",
  };
  const request = startRequest(`${server.url}/v1/messages?beta=true`, { method: "POST", headers });
  const { promise, resolve, reject } = waiting<IncomingMessage>();
  request.on("response", resolve).on("error", reject).end(JSON.stringify(body));
  promise.catch(() => undefined);
  return { response: promise, abort: () => void request.destroy() };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

function waiting<Value>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
} {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
