import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  spanTree,
  startOtlpReceiver,
  startTelemetryHost,
  stopTelemetryHost,
  type TelemetryHost,
} from "../../../test/support/telemetry.ts";
import { loadScenario } from "../../offline/index.ts";
import { bestOfN, ClaudeEnvironment } from "../../search/index.ts";
import { createFakeEngine, startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";
import { SkeinError, type TurnResult } from "../../core/index.ts";
import { traceEnvironment } from "./trace-environment.ts";
import { withTelemetry } from "./with-telemetry.ts";

let host: TelemetryHost;
let agent: OfflineAgent;

beforeEach(async () => {
  host = startTelemetryHost();
  agent = await startOfflineAgent(await loadScenario("direct"), {
    permissionMode: "bypassPermissions",
    env: { IS_SANDBOX: "1" },
  });
});

afterEach(async () => {
  stopTelemetryHost();
  await agent.close();
});

const bash = (command: string): string => `Bash ${JSON.stringify({ command })}`;
const look = { description: "Look", prompt: "say hello", subagent_type: "general-purpose", run_in_background: false };

/** Does something below a span of the host's. */
async function inHost<Value>(run: () => Promise<Value>): Promise<Value> {
  const span = host.tracerProvider.getTracer("host").startSpan("host");
  try {
    return await context.with(trace.setSpan(context.active(), span), run);
  } finally {
    span.end();
  }
}

function found(name: string): ReadableSpan {
  const span = host.spans().find((one) => one.name === name);
  if (!span) throw new Error(`No span ${name}`);
  return span;
}

test("a turn is a span below the host's, with its responses, tools and sub-agents below it", async () => {
  const engine = withTelemetry(agent.engine, host);
  await inHost(() => engine.execute([bash("echo hi"), `Agent ${JSON.stringify(look)}`, bash("false")].join("\n")));
  expect(spanTree(host.spans())).toEqual([
    "host",
    "  invoke_agent claude-code",
    "    chat claude-sonnet-5-5",
    "    execute_tool Bash",
    "    chat claude-sonnet-5-5",
    "    execute_tool Agent",
    "      invoke_agent general-purpose",
    "    chat claude-sonnet-5-5",
    "    execute_tool Bash",
    "    chat claude-sonnet-5-5",
  ]);
  const turn = found("invoke_agent claude-code");
  expect(turn.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.conversation.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "gen_ai.response.finish_reasons": ["end_turn"],
    "skein.responses": 4,
    "skein.offline": true,
  });
  const failed = host.spans().filter(({ attributes }) => attributes["error.type"] === "tool_error");
  expect(failed.map(({ name, status }) => [name, status.code])).toEqual([["execute_tool Bash", SpanStatusCode.ERROR]]);
});

test("what was said and done is in no span, unless it is asked for", async () => {
  const said = bash("echo a-secret-word");
  await withTelemetry(agent.engine, host).execute(said);
  expect(
    JSON.stringify(host.spans().map(({ attributes, status, events }) => [attributes, status, events])),
  ).not.toContain("secret");
  await withTelemetry(agent.engine, { ...host, captureContent: true }).execute(said);
  const spans = host.spans().map(({ attributes }) => attributes);
  const message = (role: string, content: string): string =>
    JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
  expect(spans.find((one) => one["gen_ai.input.messages"])).toMatchObject({
    "gen_ai.input.messages": message("user", said),
    "gen_ai.output.messages": message("assistant", "a-secret-word"),
  });
  expect(spans.find((one) => one["gen_ai.tool.call.arguments"])).toMatchObject({
    "gen_ai.tool.call.arguments": JSON.stringify({ command: "echo a-secret-word" }),
    "gen_ai.tool.call.result": "a-secret-word",
  });
});

test("a turn that fails, and one whose reader leaves, are spans that say so", async () => {
  const failing = createFakeEngine(
    () => new SkeinError("Busy: a-secret-word", { kind: "overloaded", retryable: true }),
  );
  await withTelemetry(failing, host).execute("anything");
  const events = withTelemetry(agent.engine, host).stream(bash("tail -f /dev/null"));
  for await (const event of events) if (event.type === "tool-start") break;
  const turns = host.spans().filter(({ name }) => name === "invoke_agent claude-code");
  expect(turns.map(({ attributes, status }) => [attributes["error.type"], status])).toEqual([
    ["overloaded", { code: SpanStatusCode.ERROR }],
    ["cancelled", { code: SpanStatusCode.ERROR }],
  ]);
  expect(spanTree(host.spans()).at(-1)).toBe("  execute_tool Bash");
});

test("each turn of a kept session is a span of its own", async () => {
  await using session = withTelemetry(agent.engine, host).open?.();
  for (const word of ["one", "two"]) {
    const events = session?.stream(bash(`echo ${word}`));
    for await (const _ of events ?? []);
  }
  expect(spanTree(host.spans()).filter((line) => !line.startsWith(" "))).toEqual(
    Array(2).fill("invoke_agent claude-code"),
  );
});

test("the branches of a search are spans below the host's, with their rewards, and their turns below them", async () => {
  const environment = await ClaudeEnvironment.open(agent.cwd, { engine: withTelemetry(agent.engine, host) });
  await using traced = traceEnvironment(environment, host);
  const prompts = [bash("echo 1 > reward"), bash("echo 2 > reward")];
  const from = await traced.checkpoint();
  await inHost(
    async () => await bestOfN(traced, { from, prompts, reward: ({ transition }) => transition.prompt.text.length }),
  );
  expect(spanTree(host.spans()).filter((line) => /^ {0,4}\S/.test(line))).toEqual([
    "host",
    "  invoke_workflow branch",
    "    invoke_agent claude-code",
    "  invoke_workflow branch",
    "    invoke_agent claude-code",
  ]);
  const rewards = host.spans().map(({ attributes }) => attributes["gen_ai.evaluation.score.value"]);
  expect(rewards.filter((value) => value !== undefined)).toEqual(prompts.map(({ length }) => length));
});

test("turns are measured: durations, tokens by kind, tool failures, and no money that nobody paid", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const engine = withTelemetry(agent.engine, { ...host, meterProvider });
  const result: TurnResult = await engine.execute([bash("echo hi"), bash("false")].join("\n"));
  await reader.forceFlush();
  const measured = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  const pointsOf = (name: string) => measured.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  const sums = pointsOf("gen_ai.client.token.usage").map(({ attributes, value }) => [
    attributes["gen_ai.token.type"],
    typeof value === "object" && "sum" in value ? value.sum : undefined,
  ]);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = result.usage;
  expect(sums).toEqual([
    ["input", inputTokens + cacheReadTokens + cacheWriteTokens],
    ["output", outputTokens],
  ]);
  const operations = pointsOf("gen_ai.client.operation.duration").map(
    ({ attributes }) => `${String(attributes["gen_ai.operation.name"])} ${String(attributes["error.type"] ?? "well")}`,
  );
  const expected = ["chat well", "execute_tool well", "execute_tool tool_error", "invoke_agent well"];
  expect(new Set(operations)).toEqual(new Set(expected));
  expect(pointsOf("skein.turn.cost")).toEqual([]);
  await meterProvider.shutdown();
});

test("host and CLI export into one trace, over OTLP", async () => {
  await using receiver = await startOtlpReceiver();
  const exporter = new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_METRICS_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
  };
  await withTelemetry(agent.engine, { tracerProvider, exportFromCli: true, env }).execute(bash("echo hi"));
  await tracerProvider.forceFlush();
  const named = (name: string) => receiver.spans().find((span) => span.name === name);
  await vi.waitFor(() => expect(named("claude_code.interaction")).toBeDefined(), 10_000);
  const turn = named("invoke_agent claude-code");
  expect(named("claude_code.interaction")).toMatchObject({ traceId: turn?.traceId, parentSpanId: turn?.spanId });
  expect(new Set(receiver.spans().map(({ traceId }) => traceId))).toEqual(new Set([turn?.traceId]));
  await tracerProvider.shutdown();
});

test("the CLI exports nothing where that was not asked for, whatever the host's variables say", async () => {
  await using receiver = await startOtlpReceiver();
  const env = { ...agent.options.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  await withTelemetry(agent.engine, { ...host, env }).execute(bash("echo hi"));
  expect(receiver.spans()).toEqual([]);
});
