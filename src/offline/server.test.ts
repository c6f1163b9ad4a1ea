import Anthropic from "@anthropic-ai/sdk";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { defined } from "../core/internal.ts";
import { defineScenario, type Scenario } from "./scenarios/scenario.ts";
import { startOfflineServer } from "./server.ts";

const scenario = defineScenario({
  name: "server tests",
  rules: [
    { when: { prompt: "^Think about (.+)" }, steps: [{ think: "Of {{1}}." }, { say: "About {{1}}: ünïcödé ✓" }] },
    {
      when: { prompt: "^Weather" },
      steps: [{ call: { tool: "weather", input: { city: "Bern", days: 3 } } }, { say: "It is {{result}}." }],
    },
    { when: { prompt: "^Break off" }, steps: [{ say: "cut sh" }, { end: "max_tokens" }] },
    {
      when: { prompt: "^Throw" },
      steps: () => {
        throw new Error("a mistake in the scenario");
      },
    },
  ],
});

const weather = { name: "weather", description: "", input_schema: { type: "object" as const } };

describe("the official client", () => {
  test("streams text and thinking", async () => {
    await using server = await startOfflineServer({ scenario });
    const stream = clientOf(server.url).messages.stream(ask("Think about tea"));
    const deltas: string[] = [];
    stream.on("text", (text) => deltas.push(text));
    const message = await stream.finalMessage();
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("About tea: ünïcödé ✓");
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Of tea." },
      { type: "text", text: "About tea: ünïcödé ✓" },
    ]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.usage.output_tokens).toBeGreaterThan(1);
  });

  test("gets the same message whole", async () => {
    await using server = await startOfflineServer({ scenario });
    const client = clientOf(server.url);
    const whole = await client.messages.create(ask("Think about tea"));
    const streamed = await client.messages.stream(ask("Think about tea")).finalMessage();
    expect({ ...whole, id: "" }).toEqual({ ...streamed, id: "", parsed_output: undefined });
  });

  test("calls a tool and goes on with its result", async () => {
    await using server = await startOfflineServer({ scenario });
    const client = clientOf(server.url);
    const first = await client.messages.stream({ ...ask("Weather?"), tools: [weather] }).finalMessage();
    const call = first.content[0];
    expect(first.stop_reason).toBe("tool_use");
    expect(call).toMatchObject({ type: "tool_use", name: "weather", input: { city: "Bern", days: 3 } });
    const second = await client.messages.create({
      ...ask("Weather?"),
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: first.content },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: call?.type === "tool_use" ? call.id : "", content: "sunny" }],
        },
      ],
    });
    expect(second.content).toMatchObject([{ type: "text", text: "It is sunny." }]);
  });

  test("sees a response that was broken off", async () => {
    await using server = await startOfflineServer({ scenario });
    expect(await clientOf(server.url).messages.create(ask("Break off"))).toMatchObject({ stop_reason: "max_tokens" });
  });

  test("lists models, finds one, and counts tokens", async () => {
    await using server = await startOfflineServer({ scenario });
    const client = clientOf(server.url);
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]);
    expect(await client.models.retrieve("claude-opus-5-5")).toMatchObject({ display_name: "claude-opus-5-5" });
    const { max_tokens: _, ...counted } = ask("one two three");
    const { input_tokens: few } = await client.messages.countTokens(counted);
    const { input_tokens: many } = await client.messages.countTokens({ ...counted, system: "word ".repeat(400) });
    expect(many - few).toBeGreaterThan(400);
  });

  test("reads a repeated prefix from the cache", async () => {
    await using server = await startOfflineServer({ scenario });
    const client = clientOf(server.url);
    const system = [
      { type: "text" as const, text: "long ".repeat(1000), cache_control: { type: "ephemeral" as const } },
    ];
    const { usage: first } = await client.messages.create({ ...ask("Think about tea"), system });
    const { usage: second } = await client.messages.create({ ...ask("Think about coffee"), system });
    const { usage: other } = await client.messages.create({ ...ask("Think about tea"), system: "short" });
    expect(first).toMatchObject({ cache_read_input_tokens: 0 });
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1000);
    expect(second).toMatchObject({
      cache_read_input_tokens: first.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
    });
    expect(other).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
  });
});

describe("a request that is not right", () => {
  test.each([
    [
      "no messages",
      { model: "claude-sonnet-5-5", max_tokens: 1, messages: [] },
      400,
      "invalid_request_error",
      /^messages: /,
    ],
    [
      "no max_tokens",
      { model: "claude-sonnet-5-5", messages: [{ role: "user", content: "x" }] },
      400,
      "invalid_request_error",
      /^max_tokens: /,
    ],
    ["an unknown model", { ...ask("x"), model: "gpt-5" }, 404, "not_found_error", /^model: gpt-5$/],
    ["a scenario that throws", ask("Throw"), 500, "api_error", /a mistake in the scenario/],
  ])("with %s gets the API's own error", async (_, body, status, type, message) => {
    await using server = await startOfflineServer({ scenario });
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type, message: expect.stringMatching(message) },
    });
  });

  test.each([
    ["POST", "/v1/messages", "{", 400],
    ["GET", "/v1/nothing", undefined, 404],
    ["POST", "/v1/messages", `"${"x".repeat(33 * 1024 * 1024)}"`, 413],
    ["HEAD", "/api/hello", undefined, 200],
  ])("%s %s is answered", async (method, path, body, status) => {
    await using server = await startOfflineServer({ scenario });
    const response = await fetch(server.url + path, { method, ...defined({ body }) });
    expect(response.status).toBe(status);
  });
});

describe("starting", () => {
  test("says that a port is in use", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    await expect(startOfflineServer({ scenario, port })).rejects.toMatchObject({
      name: "NetworkError",
      code: "EADDRINUSE",
      retryable: false,
      message: `Port ${port} is in use`,
    });
    blocker.close();
  });

  test("refuses a scenario that is not valid", async () => {
    const broken = { name: "broken", rules: [{ steps: [{ shout: "hi" }] }] } as unknown as Scenario;
    await expect(startOfflineServer({ scenario: broken })).rejects.toMatchObject({ kind: "parse" });
  });

  test("frees the port on close, while a stream is open", async () => {
    const stalled = { name: "stalled", rules: [{ steps: [{ fail: { type: "stall" as const } }] }] };
    const server = await startOfflineServer({ scenario: stalled });
    const stream = fetch(`${server.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ ...ask("x"), stream: true }),
    });
    const response = await stream;
    await server.close();
    await expect(response.text()).rejects.toThrow();
    await using again = await startOfflineServer({ scenario: stalled, port: server.port });
    expect(again.port).toBe(server.port);
  });
});

function ask(content: string): Anthropic.MessageCreateParamsNonStreaming {
  return { model: "claude-sonnet-5-5", max_tokens: 1000, messages: [{ role: "user", content }] };
}

function clientOf(baseURL: string): Anthropic {
  return new Anthropic({ baseURL, apiKey: "offline", maxRetries: 0 });
}
