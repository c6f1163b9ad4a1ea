import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { systemClock } from "../../core/internal.ts";
import type { CheckedFault } from "../scenarios/fault.ts";
import { sendApiError, toApiError } from "./api-error.ts";
import { type ApiMessage, estimateTokens, formatEvent, type StreamEvent, toStreamEvents } from "./api-message.ts";

/** Sends a message, streamed or whole, with whatever is to go wrong with it. */
export async function sendMessage(
  response: ServerResponse,
  message: ApiMessage,
  { isStreamed, fault }: { readonly isStreamed: boolean; readonly fault: CheckedFault | undefined },
): Promise<void> {
  if (fault?.type === "http") return sendApiError(response, fault.status, fault);
  if (fault?.type === "reset") return void response.socket?.resetAndDestroy();
  const send = isStreamed ? sendStream : sendWhole;
  await send(response, message, fault);
}

async function sendStream(response: ServerResponse, message: ApiMessage, fault?: CheckedFault): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": message.id,
  });
  const events = toStreamEvents(message);
  // Where nothing is to go wrong, one write: a client cannot tell, and it is faster (`npm run bench`).
  if (!fault) return void response.end(events.map(formatEvent).join(""));
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (response.destroyed) return;
    if ("afterEvents" in fault && index === fault.afterEvents) {
      if (!(await breakStream(response, fault, { id: message.id, next: event }))) return;
    }
    if (fault.type === "drip") await systemClock.sleep(dripDelayMs(event, fault.tokensPerSecond));
    if (!response.write(formatEvent(event))) await drained(response);
  }
  response.end();
}

async function sendWhole(response: ServerResponse, message: ApiMessage, fault?: CheckedFault): Promise<void> {
  if (fault?.type === "stall" || fault?.type === "pings") return;
  if (fault?.type === "error") return sendApiError(response, fault.status, fault);
  const body = JSON.stringify(message);
  response.writeHead(200, { "content-type": "application/json", "request-id": message.id });
  if (fault?.type === "cut") {
    response.write(body.slice(0, body.length / 2));
    return cutConnection(response);
  }
  if (fault?.type === "malformed") return void response.end(body.slice(0, body.length / 2));
  if (fault?.type === "drip") await systemClock.sleep((message.usage.output_tokens / fault.tokensPerSecond) * 1000);
  response.end(body);
}

async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    waiting.abort();
  }
}

function dripDelayMs(event: StreamEvent, tokensPerSecond: number): number {
  if (event.type !== "content_block_delta") return 0;
  const [, ...texts] = Object.values(event["delta"] as object);
  return (estimateTokens(texts.join("")) / tokensPerSecond) * 1000;
}

/** What is sent instead of the rest of a response. Gives whether the rest may follow all the same. */
async function breakStream(
  response: ServerResponse,
  fault: Extract<CheckedFault, { readonly afterEvents: number }>,
  { id, next }: { readonly id: string; readonly next: StreamEvent },
): Promise<boolean> {
  switch (fault.type) {
    case "stall":
      return false;
    case "cut":
      if (fault.afterMs > 0) await systemClock.sleep(fault.afterMs);
      if (fault.isQuiet) response.end();
      else cutConnection(response);
      return false;
    case "error":
      response.end(formatEvent(toApiError(fault.status, { message: fault.message, requestId: id })));
      return false;
    case "pings":
      // Until the client gives the stream up.
      while (!response.destroyed) {
        response.write(formatEvent(fault.sends === "empty-delta" ? withoutToken(next) : { type: "ping" }));
        await systemClock.sleep(fault.everyMs);
      }
      return false;
    case "malformed":
      response.write(`event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n`);
      return true;
  }
}

/** Breaks the connection off once what was written has left, so that the client sees just that much. */
function cutConnection(response: ServerResponse): void {
  response.write(" ", () => response.socket?.destroy());
}

/** The same delta with nothing in it; what is no delta becomes a ping. */
function withoutToken(event: StreamEvent): StreamEvent {
  if (event.type !== "content_block_delta") return { type: "ping" };
  const { type, ...delta } = event["delta"] as Readonly<Record<string, string>>;
  return { ...event, delta: { type, ...Object.fromEntries(Object.keys(delta).map((name) => [name, ""])) } };
}
