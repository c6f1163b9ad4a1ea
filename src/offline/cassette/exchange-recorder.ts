import type { IncomingMessage } from "node:http";
import { type Clock, isoTime, parseJson } from "../../core/internal.ts";
import type { Exchange, RecordedEvent, RecordedResponse } from "./cassette.ts";
import { rewriteResponse } from "./rewrite-response.ts";
import { keysToScrub, scrubBody, scrubPath } from "./scrub.ts";

export type ExchangeRecorder = ReturnType<typeof createExchangeRecorder>;

/** All other headers of a request stay out of the file: among them are keys. */
const REQUEST_HEADERS = ["content-type", "anthropic-version", "anthropic-beta"];
const RESPONSE_HEADERS = ["content-type", "retry-after", "request-id"];

/** Makes an exchange of a request and the bytes that answer it. */
export function createExchangeRecorder(
  {
    request,
    body,
    startedMs,
  }: { readonly request: IncomingMessage; readonly body: string; readonly startedMs: number },
  { status, headers: given }: Response,
  clock: Clock,
) {
  const headers = pick(RESPONSE_HEADERS, (name) => given.get(name));
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  const chunks: Uint8Array[] = [];
  const events = new SseSplitter(startedMs);
  let firstByteMs: number | undefined;
  return {
    push(bytes: Uint8Array): void {
      const nowMs = clock.now();
      firstByteMs ??= nowMs - startedMs;
      if (isStream) events.push(bytes, nowMs);
      else chunks.push(bytes);
    },
    /** The line to write; undefined where a body that is no stream was cut, which leaves nothing worth replaying. */
    finish(outcome: "whole" | "cut"): Exchange | undefined {
      const nowMs = clock.now();
      const cut = outcome === "cut";
      if (cut && !isStream) return undefined;
      const response: RecordedResponse = isStream
        ? { type: "stream", status, headers, events: [...events.end(nowMs)], cut }
        : { type: "body", status, headers, body: Buffer.concat(chunks).toString("utf8") };
      const durationMs = nowMs - startedMs;
      const path = request.url ?? "/";
      const keys = keysToScrub(request.headers, path);
      return {
        type: "exchange",
        request: {
          method: request.method ?? "GET",
          path: scrubPath(path, keys),
          headers: pick(REQUEST_HEADERS, (name) => request.headers[name]?.toString()),
          body: scrubBody(parseBody(body), keys) as Exchange["request"]["body"],
        },
        response: rewriteResponse(response, keys),
        timing: { startedAt: isoTime(startedMs), firstByteMs: firstByteMs ?? durationMs, durationMs },
      };
    },
  };
}

function pick(names: readonly string[], get: (name: string) => string | null | undefined): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (get(name) ? [[name, get(name) as string]] : [])));
}

/** A body as a cassette holds it: parsed where it is JSON, null where there is none. */
export function parseBody(body: string): unknown {
  if (body === "") return null;
  const value = parseJson(body);
  return value === undefined ? body : value;
}

/** Cuts a stream of bytes into server-sent events, each with the time that it took to come. */
export class SseSplitter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #events: RecordedEvent[] = [];
  #pending = "";
  #lastMs: number;

  constructor(startedMs: number) {
    this.#lastMs = startedMs;
  }

  push(bytes: Uint8Array, nowMs: number): void {
    this.#pending += this.#decoder.decode(bytes, { stream: true });
    for (let end = endOfEvent(this.#pending); end !== -1; end = endOfEvent(this.#pending)) this.#take(end, nowMs);
  }

  /** Every event, and last what is left of one that never ended. */
  end(nowMs: number): readonly RecordedEvent[] {
    this.#pending += this.#decoder.decode();
    if (this.#pending !== "") this.#take(this.#pending.length, nowMs);
    return this.#events;
  }

  #take(length: number, nowMs: number): void {
    this.#events.push({ delayMs: nowMs - this.#lastMs, text: this.#pending.slice(0, length) });
    this.#pending = this.#pending.slice(length);
    this.#lastMs = nowMs;
  }
}

/** Where the first event ends, its blank line included; -1 where none does yet. */
function endOfEvent(text: string): number {
  const blank = /\r?\n\r?\n/.exec(text);
  return blank ? blank.index + blank[0].length : -1;
}
