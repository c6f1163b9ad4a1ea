import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, isoTime, SkeinError, systemClock } from "../../core/internal.ts";
import { sendApiError } from "../api/api-error.ts";
import { listenOnLoopback, type LoopbackServer, readBody } from "../api/loopback-server.ts";
import { type CassetteWriter, createCassette } from "./cassette.ts";
import { createExchangeRecorder, type ExchangeRecorder } from "./exchange-recorder.ts";

export interface RecordingProxyOptions {
  /** The base URL that the requests go on to, such as `https://api.anthropic.com`. */
  readonly upstream: string;
  /** The file to write; it must not exist yet. */
  readonly cassettePath: string;
  /** Any free port by default. */
  readonly port?: number;
  /** How long `close` waits for answers that are still coming, 10 seconds by default. */
  readonly closeTimeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

interface Recording extends Required<Pick<RecordingProxyOptions, "upstream" | "fetch" | "clock">> {
  readonly writer: CassetteWriter;
}

/** Headers of one connection only, and those that the proxy's own request sets anew. */
const NOT_FORWARDED =
  /^(?:accept-encoding|connection|content-(?:encoding|length)|expect|host|keep-alive|proxy-(?:authorization|connection)|te|trailer|transfer-encoding|upgrade)$/u;

/** Serves a Messages API that passes everything on to another and writes down what was asked and answered. */
export async function startRecordingProxy(options: RecordingProxyOptions): Promise<LoopbackServer> {
  const { clock = systemClock, closeTimeoutMs = 10_000 } = options;
  const upstream = checkUpstream(options.upstream);
  const header = { type: "cassette", version: 1, recordedAt: isoTime(clock.now()), upstream } as const;
  const writer = await createCassette(options.cassettePath, header);
  const recording: Recording = { upstream, writer, clock, fetch: options.fetch ?? fetch };
  const inFlight = new Set<Promise<void>>();
  const server = await listenOnLoopback((request, response) => {
    const exchange = forward(request, response, recording)
      .catch(() => void response.destroy())
      .finally(() => inFlight.delete(exchange));
    inFlight.add(exchange);
  }, options.port).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const waiting = new AbortController();
    const timeout = clock.sleep(closeTimeoutMs, waiting.signal).catch(() => undefined);
    await Promise.race([Promise.all(inFlight), timeout]);
    waiting.abort();
    await server.close();
    await Promise.all(inFlight);
    await writer.close();
  };
  const closeOnce = (): Promise<void> => (closing ??= close());
  return { ...server, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
}

async function forward(request: IncomingMessage, response: ServerResponse, recording: Recording): Promise<void> {
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const body = await readBody(request);
  if (body === undefined) return sendApiError(response, 413);
  const asked = { request, body, startedMs: recording.clock.now() };
  const answer = await ask(request, body, recording, disconnected.signal).catch((error: unknown) => {
    if (!disconnected.signal.aborted) sendApiError(response, 502, { message: unreachable(recording.upstream, error) });
  });
  if (answer === undefined) return;
  const recorder = createExchangeRecorder(asked, answer, recording.clock);
  response.writeHead(answer.status, responseHeaders(answer.headers));
  response.flushHeaders();
  const outcome = await passOn(answer, response, { recorder, signal: disconnected.signal });
  if (outcome !== "abandoned" && request.method !== "HEAD") {
    const exchange = recorder.finish(outcome);
    if (exchange) recording.writer.append(exchange);
  }
  if (outcome === "cut") response.socket?.end();
  else response.end();
}

async function ask(
  request: IncomingMessage,
  body: string,
  { upstream, fetch: send }: Recording,
  signal: AbortSignal,
): Promise<Response> {
  const method = request.method ?? "GET";
  const headers = new Headers({ "accept-encoding": "identity" });
  for (const [name, value] of Object.entries(request.headers)) {
    if (!NOT_FORWARDED.test(name)) headers.set(name, [value].flat().join(", "));
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const init = { method, headers, signal, redirect: "manual" as const };
  return await send(`${upstream}${request.url ?? "/"}`, hasBody ? { ...init, body } : init);
}

/** Passes each piece on as it comes, no faster than the client takes it. */
async function passOn(
  answer: Response,
  response: ServerResponse,
  { recorder, signal }: { readonly recorder: ExchangeRecorder; readonly signal: AbortSignal },
): Promise<"whole" | "cut" | "abandoned"> {
  try {
    for await (const bytes of answer.body ?? []) {
      recorder.push(bytes);
      if (!response.write(bytes)) await once(response, "drain", { signal });
    }
    return "whole";
  } catch {
    return signal.aborted ? "abandoned" : "cut";
  }
}

function responseHeaders(headers: Headers): Record<string, string | string[]> {
  const kept = [...headers].filter(([name]) => !NOT_FORWARDED.test(name) && name !== "set-cookie");
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(kept), ...(cookies.length > 0 ? { "set-cookie": cookies } : {}) };
}

function unreachable(upstream: string, error: unknown): string {
  const { message, cause } = error as Error;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return `The recording proxy cannot reach ${upstream}: ${code ?? message}`;
}

function checkUpstream(upstream: string): string {
  const url = URL.canParse(upstream) ? new URL(upstream) : undefined;
  if (url?.protocol.startsWith("http") && url.username === "" && url.password === "") {
    return (url.origin + url.pathname).replace(/\/$/, "");
  }
  throw new SkeinError("The upstream is not a base URL to record from", {
    kind: "usage",
    hint: "Give an http or https address without a user or password, such as https://api.anthropic.com.",
  });
}
