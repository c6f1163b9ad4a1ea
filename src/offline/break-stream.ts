import type { ServerResponse } from "node:http";
import type { Clock } from "../core/index.ts";
import { toApiError } from "./api-error.ts";
import { formatEvent, type StreamEvent } from "./api-message.ts";
import type { CheckedFault } from "./fault.ts";

/** A fault that comes at a place in the stream. */
export type StreamFault = Extract<CheckedFault, { readonly afterEvents: number }>;

/** What is sent instead of the rest of a response. Gives whether the rest may follow all the same. */
export async function breakStream(
  response: ServerResponse,
  fault: StreamFault,
  { id, next, clock }: { readonly id: string; readonly next: StreamEvent; readonly clock: Clock },
): Promise<boolean> {
  switch (fault.type) {
    case "stall":
      return false;
    case "cut":
      if (fault.afterMs > 0) await clock.sleep(fault.afterMs);
      if (fault.isQuiet) response.end();
      else cutConnection(response);
      return false;
    case "error":
      response.end(formatEvent(toApiError(fault.status, { message: fault.message, requestId: id })));
      return false;
    case "pings":
      await sendPings(response, fault.sends === "empty-delta" ? withoutToken(next) : { type: "ping" }, () =>
        clock.sleep(fault.everyMs),
      );
      return false;
    case "malformed":
      response.write(`event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n`);
      return true;
  }
}

/** Breaks the connection off once what was written has left, so that the client sees just that much. */
export function cutConnection(response: ServerResponse): void {
  response.write(" ", () => response.socket?.destroy());
}

/** Keeps a stream open with an event that brings nothing, until the client gives it up. */
async function sendPings(response: ServerResponse, event: StreamEvent, wait: () => Promise<void>): Promise<void> {
  while (!response.destroyed) {
    response.write(formatEvent(event));
    await wait();
  }
}

/** The same delta with nothing in it; what is no delta becomes a ping. */
function withoutToken(event: StreamEvent): StreamEvent {
  if (event.type !== "content_block_delta") return { type: "ping" };
  const { type, ...delta } = event["delta"] as Readonly<Record<string, string>>;
  return { ...event, delta: { type, ...Object.fromEntries(Object.keys(delta).map((name) => [name, ""])) } };
}
