import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, propagation, type TracerProvider } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { z } from "zod";

/** What a host that uses OpenTelemetry registers: spans are kept in memory. */
export interface TelemetryHost {
  readonly tracerProvider: TracerProvider;
  /** The spans that ended, in the order in which they began. */
  spans(): readonly ReadableSpan[];
}

/** Registers what carries the active span through awaited calls and into processes; `stopTelemetryHost` takes it away again. */
export function startTelemetryHost(): TelemetryHost {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const startOf = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e3 + nanos / 1e6;
  return {
    tracerProvider,
    spans: () => exporter.getFinishedSpans().toSorted((left, right) => startOf(left) - startOf(right)),
  };
}

export function stopTelemetryHost(): void {
  context.disable();
  propagation.disable();
}

/** The names of spans as a tree: each below its parent, indented. */
export function spanTree(spans: readonly ReadableSpan[], parent?: string, indent = ""): readonly string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const isBelow = ({ parentSpanContext }: ReadableSpan): boolean =>
    parent === undefined ? !ids.has(parentSpanContext?.spanId ?? "") : parentSpanContext?.spanId === parent;
  return spans
    .filter(isBelow)
    .flatMap((span) => [`${indent}${span.name}`, ...spanTree(spans, span.spanContext().spanId, `${indent}  `)]);
}

const otlp = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A span as it arrives over OTLP. */
export type OtlpSpan = z.infer<typeof otlp>["resourceSpans"][number]["scopeSpans"][number]["spans"][number];

/** A receiver of OTLP in JSON, on the loopback. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  spans(): readonly OtlpSpan[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: OtlpSpan[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.url === "/v1/traces") {
        const { resourceSpans } = otlp.parse(JSON.parse(Buffer.concat(chunks).toString()));
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      }
      response.setHeader("content-type", "application/json").end("{}");
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
