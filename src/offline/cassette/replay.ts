import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, SkeinError, systemClock } from "../../core/internal.ts";
import { sendApiError } from "../api/api-error.ts";
import { listenOnLoopback, type LoopbackServer, readBody } from "../api/loopback-server.ts";
import { readCassette, type RecordedResponse } from "./cassette.ts";
import { parseBody } from "./exchange-recorder.ts";
import type { Difference, Nearest } from "./nearest-recorded.ts";
import { Playback } from "./playback.ts";
import { keysToScrub, scrubBody, scrubPath } from "./scrub.ts";

export interface ReplayServerOptions {
  readonly cassettePath: string;
  /** Any free port by default. */
  readonly port?: number;
  /** 1 takes the time that was recorded, 2 half of it; by default every answer comes at once. */
  readonly speed?: number;
  readonly clock?: Clock;
}

export interface ReplayServer extends LoopbackServer {
  /** The requests so far that were never recorded; each once, although the CLI asks several times before it gives up. */
  readonly unmatched: readonly UnmatchedRequest[];
}

interface UnmatchedRequest {
  readonly method: string;
  readonly path: string;
  /** What the client was told. */
  readonly message: string;
  /** The line of the recorded request that is most like it; undefined where the cassette is empty. */
  readonly nearestLine: number | undefined;
  readonly difference: Difference | undefined;
}

/** Serves recorded answers as a Messages API. A request that was not recorded gets an error that says what differs. */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  if (options.speed !== undefined && !(options.speed > 0)) {
    throw new SkeinError(`The speed must be above 0, not ${options.speed}`, {
      kind: "usage",
      hint: "Give 1 for the recorded pace, or leave it out to get every answer at once.",
    });
  }
  const playback = new Playback(await readCassette(options.cassettePath));
  const unmatched: UnmatchedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "HEAD") return void response.writeHead(200).end();
    const { method = "GET", url = "/" } = request;
    const keys = keysToScrub(request.headers, url);
    const path = scrubPath(url, keys);
    const body = await readBody(request);
    if (body === undefined) return sendApiError(response, 413);
    const played = playback.play({ method, path, body: scrubBody(parseBody(body), keys) });
    if (played.type === "answer") return await sendRecorded(response, played, options);
    const message = explain(options.cassettePath, `${method} ${path}`, played.nearest);
    const { line: nearestLine, difference } = played.nearest ?? {};
    if (!unmatched.some((known) => known.message === message)) {
      unmatched.push({ method, path, message, nearestLine, difference });
    }
    sendApiError(response, 400, { message });
  };
  const server = await listenOnLoopback((request, response) => {
    answer(request, response).catch(() => void response.destroy());
  }, options.port);
  return { ...server, unmatched };
}

function explain(cassettePath: string, route: string, nearest: Nearest | undefined): string {
  const start = `The cassette ${cassettePath} has no answer to this ${route}.`;
  const next = "Record again if the change is intended.";
  if (nearest === undefined) return `${start} It holds no exchange at all. ${next}`;
  const { path, expected, got } = nearest.difference;
  return `${start} The nearest is line ${nearest.line}, which first differs at ${path}: expected ${expected}, got ${got}. ${next}`;
}

/** Sends a recorded answer, in its own time or at once. */
async function sendRecorded(
  response: ServerResponse,
  { response: answer, durationMs }: { readonly response: RecordedResponse; readonly durationMs: number },
  { speed, clock = systemClock }: ReplayServerOptions,
): Promise<void> {
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
