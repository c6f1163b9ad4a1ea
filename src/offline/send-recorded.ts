import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "../core/index.ts";
import type { RecordedResponse } from "./cassette.ts";

/** When a recorded answer is sent. */
export interface SendRecordedOptions {
  /** 1 takes the recorded time; undefined takes none. */
  readonly speed: number | undefined;
  readonly clock: Clock;
}

/** Sends a recorded answer, in its own time or at once. */
export async function sendRecorded(
  response: ServerResponse,
  recorded: { readonly response: RecordedResponse; readonly durationMs: number },
  { speed, clock }: SendRecordedOptions,
): Promise<void> {
  const { response: answer, durationMs } = recorded;
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const pause = async (delayMs: number): Promise<void> => {
    if (speed !== undefined && delayMs > 0) await clock.sleep(delayMs / speed, disconnected.signal);
  };
  if (answer.type === "body") {
    await pause(durationMs);
    return void response.writeHead(answer.status, answer.headers).end(answer.body);
  }
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  for (const { delayMs, text } of answer.events) {
    await pause(delayMs);
    if (!response.write(text)) await once(response, "drain", { signal: disconnected.signal });
  }
  if (answer.cut) response.socket?.end();
  else response.end();
}
