import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../core/index.ts";
import { createCassette, type Exchange, type RecordedResponse } from "./cassette.ts";
import { type ReplayServer, type ReplayServerOptions, startReplayServer } from "./replay.ts";

const PING = "event: ping\ndata: {}\n\n";

let directory: string;
let cassettePath: string;
let server: ReplayServer | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "skein-replay-"));
  cassettePath = join(directory, "run.jsonl");
});

afterEach(async () => {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

test("an answer comes back as it was recorded", async () => {
  await serve([exchange(prompt("Hello"), stream([PING, 'data: {"é":1}\n\n']))]);

  const response = await post(prompt("Hello"));

  expect([response.status, response.headers.get("content-type"), response.headers.get("request-id")]).toEqual([
    200,
    "text/event-stream",
    "req_1",
  ]);
  expect(await response.text()).toBe(`${PING}data: {"é":1}\n\n`);
});

test("the same request gets its answers in recorded order, and then the last one again", async () => {
  const overloaded = { ...body("overloaded"), status: 529 };
  await serve([exchange(prompt("Hello"), overloaded), exchange(prompt("Hello"), body("hi"))]);

  const answers = [await post(prompt("Hello")), await post(prompt("Hello")), await post(prompt("Hello"))];

  expect(answers.map(({ status }) => status)).toEqual([529, 200, 200]);
});

test("of equal requests the one that offers the same tools is answered, and any where none does", async () => {
  const withTools = (...names: string[]): object => ({ ...prompt("Hello"), tools: names.map((name) => ({ name })) });
  await serve([exchange(withTools("Read"), body("one")), exchange(withTools("Read", "Write"), body("two"))]);

  const answers = [await post(withTools("Write", "Read")), await post(withTools("Edit"))];

  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(["two", "one"]);
});

test("the live working directory is put in, also where the stream has split the recorded one", async () => {
  const json = (text: string): string => delta(1, { type: "input_json_delta", partial_json: text });
  const text = (said: string): string => delta(0, { type: "text_delta", text: said });
  const answer = [text("In /rec"), json('{"file_path":"/re'), text("orded/here."), json('corded/here/a.ts"}')];
  await serve([exchange(prompt("Go", "/recorded/here"), stream(answer))]);

  const response = await post(prompt("Go", '/live/it\'s "so"'));

  const live = [text('In /live/it\'s "so"'), json('{"file_path":"/live/it\'s \\"so\\"'), text("."), json('/a.ts"}')];
  expect(await response.text()).toBe(live.join(""));
});

test("a short working directory takes no flags with it", async () => {
  await serve([exchange(prompt("Go", "/a"), body("cd /a; ls -a /apple; cat ~/.claude/projects/-a/memory"))]);

  const response = await post(prompt("Go", "/live"));

  expect(await response.text()).toBe("cd /live; ls -a /apple; cat ~/.claude/projects/-live/memory");
});

test("a commit, an id and a path that a tool printed are carried over into the answer", async () => {
  const after = (result: string): object => ({
    messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: result }] }],
  });
  const recorded = "[main 1a2b3c4] by a764ab402ea8b38da in /tmp/a/x.log";
  const live = "[main 9f8e7d6] by a0123456789abcdef in /tmp/b/y.log";
  await serve([exchange(after(recorded), body("git show 1a2b3c4; a764ab402ea8b38da; cat /tmp/a/x.log"))]);

  const response = await post(after(live));

  expect(await response.text()).toBe("git show 9f8e7d6; a0123456789abcdef; cat /tmp/b/y.log");
});

test("a key that a tool printed matches the mark that was recorded in its place", async () => {
  const key = "sk-ant-api03-0123456789abcdef";
  await serve([exchange(prompt("The key is {{key}}"), body("I see"))]);

  const response = await post(prompt(`The key is ${key}`), { "x-api-key": key });

  expect(await response.text()).toBe("I see");
});

test("a request that was not recorded is refused with the nearest one and what differs", async () => {
  await serve([
    exchange({ ...prompt("Build it"), model: "a" }, body("one")),
    exchange({ ...prompt("Test it"), model: "b" }, body("two")),
  ]);

  const response = await post({ ...prompt("Paint it"), model: "b" });

  const message = `The cassette ${cassettePath} has no answer to this POST /v1/messages?beta=true. The nearest is line 3, which first differs at $.messages[0].content[0].text: expected "Test it", got "Paint it". Record again if the change is intended.`;
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: expect.any(String),
  });
  expect(server?.unmatched).toEqual([
    {
      method: "POST",
      path: "/v1/messages?beta=true",
      message,
      nearestLine: 3,
      difference: { path: "$.messages[0].content[0].text", expected: '"Test it"', got: '"Paint it"' },
    },
  ]);
});

test("an empty cassette refuses everything but HEAD", async () => {
  const { url } = await serve([]);

  const head = await fetch(`${url}/api/hello`, { method: "HEAD" });
  const models = await fetch(`${url}/v1/models`);

  expect([head.status, models.status]).toEqual([200, 400]);
  expect(server?.unmatched).toEqual([
    {
      method: "GET",
      path: "/v1/models",
      message: `The cassette ${cassettePath} has no answer to this GET /v1/models. It holds no exchange at all. Record again if the change is intended.`,
      nearestLine: undefined,
      difference: undefined,
    },
  ]);
});

test("a stream that was cut is cut again, after the events that came", async () => {
  await serve([exchange(prompt("Hello"), { ...stream([PING]), cut: true })]);

  const response = await post(prompt("Hello"));
  const reader = response.body!.getReader();
  const first = await reader.read();

  expect(Buffer.from(first.value as Uint8Array).toString()).toBe(PING);
  await expect(reader.read()).rejects.toThrow("terminated");
});

test("at a given speed the recorded delays are kept in proportion", async () => {
  const delays: number[] = [];
  const clock: Clock = { now: () => 0, sleep: async (ms) => void delays.push(ms) };
  const exchanges = [exchange(prompt("Hello"), stream([PING, PING])), exchange(prompt("Bye"), body("bye"))];
  await serve(exchanges, { speed: 2, clock });

  await (await post(prompt("Hello"))).text();
  await (await post(prompt("Bye"))).text();

  expect(delays).toEqual([50, 50, 150]);
});

test("a speed that is not above 0 is refused", async () => {
  await expect(serve([], { speed: 0 })).rejects.toMatchObject({ kind: "usage" });
});

async function serve(
  exchanges: readonly Exchange[],
  options: Omit<ReplayServerOptions, "cassettePath"> = {},
): Promise<ReplayServer> {
  const recordedAt = "2026-11-15T09:00:00.000Z";
  const writer = await createCassette(cassettePath, {
    type: "cassette",
    version: 1,
    recordedAt,
    upstream: "https://x",
  });
  for (const each of exchanges) writer.append(each);
  await writer.close();
  server = await startReplayServer({ cassettePath, ...options });
  return server;
}

async function post(content: object, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${server?.url}/v1/messages?beta=true`, {
    method: "POST",
    headers,
    body: JSON.stringify(content),
  });
}

function prompt(text: string, cwd?: string): object {
  const environment = {
    type: "text",
    text: `<system-reminder>\n - Primary working directory: ${cwd}\n</system-reminder>`,
  };
  const content = [...(cwd === undefined ? [] : [environment]), { type: "text", text }];
  return { model: "m", messages: [{ role: "user", content }] };
}

function exchange(requestBody: object, response: RecordedResponse): Exchange {
  return {
    type: "exchange",
    request: {
      method: "POST",
      path: "/v1/messages?beta=true",
      headers: {},
      body: requestBody as Exchange["request"]["body"],
    },
    response,
    timing: { startedAt: "2026-11-15T09:00:00.000Z", firstByteMs: 100, durationMs: 300 },
  };
}

function stream(texts: readonly string[]): Extract<RecordedResponse, { type: "stream" }> {
  const headers = { "content-type": "text/event-stream", "request-id": "req_1" };
  return { type: "stream", status: 200, headers, events: texts.map((text) => ({ delayMs: 100, text })), cut: false };
}

function body(text: string): RecordedResponse {
  return { type: "body", status: 200, headers: { "content-type": "application/json" }, body: text };
}

function delta(index: number, content: object): string {
  return `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index, delta: content })}\n\n`;
}
