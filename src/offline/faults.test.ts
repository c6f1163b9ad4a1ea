import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import type { Fault } from "./scenarios/fault.ts";
import { startOfflineServer } from "./server.ts";

const params = { model: "claude-sonnet-5-5", max_tokens: 100, messages: [{ role: "user" as const, content: "Go" }] };

describe("an HTTP fault", () => {
  test.each([400, 401, 402, 403, 404, 413, 429, 500, 529] as const)(
    "%i comes in the API's own shape",
    async (status) => {
      await using faulty = await serve({ type: "http", status, message: "as scripted" });
      const error = await faulty.client.messages.create(params).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error).toMatchObject({ status, error: { type: "error", error: { message: "as scripted" } } });
    },
  );

  test("429 carries retry-after", async () => {
    await using faulty = await serve({ type: "http", status: 429, retryAfterS: 7 });
    const error = (await faulty.client.messages.create(params).catch((thrown: unknown) => thrown)) as InstanceType<
      typeof Anthropic.APIError
    >;
    expect(error.headers?.get("retry-after")).toBe("7");
  });

  test("happens as often as it says, and then the script goes on", async () => {
    await using faulty = await serve({ type: "http", status: 529, times: 2 }, { type: "http", status: 500, times: 1 });
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const response = await fetch(`${faulty.url}/v1/messages`, { method: "POST", body: JSON.stringify(params) });
      statuses.push(response.status);
      await response.text();
    }
    expect(statuses).toEqual([529, 529, 500, 200]);
  });
});

describe("a fault of the connection", () => {
  test("reset ends it before any answer", async () => {
    await using faulty = await serve({ type: "reset" });
    await expect(faulty.client.messages.create(params)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  });

  test("refuse takes the port away and gives it back", async () => {
    await using faulty = await serve({ type: "refuse", forMs: 100, times: 1 });
    await expect(faulty.client.messages.create(params)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
    await expect(faulty.client.messages.create(params)).rejects.toMatchObject({
      cause: { cause: { code: "ECONNREFUSED" } },
    });
    const patient = new Anthropic({ baseURL: faulty.url, apiKey: "offline", maxRetries: 5 });
    expect((await patient.messages.create(params)).content).toMatchObject([{ text: "All is well again." }]);
  });

  test("cut sends so many events and no more", async () => {
    await using faulty = await serve({ type: "cut", afterEvents: 4 });
    expect(await readUntilBroken(faulty.url)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
    ]);
  });

  test("cut breaks a whole response in the middle", async () => {
    await using faulty = await serve({ type: "cut", afterEvents: 1 });
    await expect(faulty.client.messages.create(params)).rejects.toThrow();
  });

  test("stall sends so many events and then nothing, until the client gives up", async () => {
    await using faulty = await serve({ type: "stall", afterEvents: 2 });
    expect(await readUntilBroken(faulty.url, { giveUpAfter: 2 })).toEqual(["message_start", "ping"]);
  });

  test("a quiet cut ends the response as if it were whole", async () => {
    await using faulty = await serve({ type: "cut", afterEvents: 2, isQuiet: true });
    const body = JSON.stringify({ ...params, stream: true });
    const response = await fetch(`${faulty.url}/v1/messages`, { method: "POST", body });
    expect(eventsIn(await response.text())).toEqual(["message_start", "ping"]);
  });

  test("error ends a stream that began well with the API's own error, and is that error where nothing is streamed", async () => {
    await using faulty = await serve({ type: "error", afterEvents: 4 });
    const streamed = await faulty.client.messages
      .stream(params)
      .finalMessage()
      .catch((thrown: unknown) => thrown);
    expect(streamed).toMatchObject({ error: { type: "error", error: { type: "overloaded_error" } } });
    await expect(faulty.client.messages.create(params)).rejects.toMatchObject({ status: 529 });
  });

  test.each([
    ["ping", ["message_start", "ping", "content_block_start", "ping", "ping"]],
    ["empty-delta", ["message_start", "ping", "content_block_start", "content_block_delta", "content_block_delta"]],
  ] as const)("pings sends %s and no token more, until the client gives up", async (sends, events) => {
    await using faulty = await serve({ type: "pings", afterEvents: 3, everyMs: 5, sends });
    expect((await readUntilBroken(faulty.url, { giveUpAfter: 5 })).slice(0, 5)).toEqual(events);
  });

  test("malformed sends an event that is not JSON", async () => {
    await using faulty = await serve({ type: "malformed", afterEvents: 2 });
    await expect(faulty.client.messages.stream(params).finalMessage()).rejects.toThrow();
  });

  test("drip spreads the text over time", async () => {
    await using faulty = await serve({ type: "drip", tokensPerSecond: 40 });
    const startedAt = performance.now();
    await faulty.client.messages.stream(params).finalMessage();
    // 18 characters are 5 tokens or more: at 40 a second no timer lets it be over sooner.
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });
});

async function serve(...faults: Fault[]) {
  const steps = [...faults.map((fail) => ({ fail })), { say: "All is well again." }];
  const server = await startOfflineServer({ scenario: { name: "faults", rules: [{ steps }] } });
  return { ...server, client: new Anthropic({ baseURL: server.url, apiKey: "offline", maxRetries: 0 }) };
}

/** The events of a stream that does not end in order: broken off by the server, or given up by the client. */
async function readUntilBroken(
  url: string,
  { giveUpAfter = Infinity }: { giveUpAfter?: number } = {},
): Promise<readonly string[]> {
  const controller = new AbortController();
  const body = JSON.stringify({ ...params, stream: true });
  const response = await fetch(`${url}/v1/messages`, { method: "POST", body, signal: controller.signal });
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (eventsIn(text).length >= giveUpAfter) controller.abort();
    }
  } catch {
    return eventsIn(text);
  }
  throw new Error("the stream ended by itself");
}

function eventsIn(text: string): readonly string[] {
  return [...text.matchAll(/^event: (.+)$/gm)].map((match) => match[1] ?? "");
}
