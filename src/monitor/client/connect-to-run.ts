import { once } from "node:events";
import { WebSocket, type RawData } from "ws";
import { AsyncQueue, parseJson, type SkeinError } from "../../core/internal.ts";
import type { MonitorAddress } from "./address.ts";
import { connectionFailure, refusalOf } from "./server-failure.ts";

/** A message of the stream, as far as all are alike. */
export type StreamedMessage = Readonly<Record<string, unknown>>;

/** The server pings twice a minute: who hears nothing for longer has no connection any more. */
const SILENCE_MS = 75_000;

/** A connection that tells what happens in a run. The messages end with it, by an error. */
export interface RunConnection extends Disposable {
  readonly messages: AsyncIterable<StreamedMessage>;
  say(message: object): void;
}

export async function connectToRun(
  { url, token, ca }: MonitorAddress,
  run: string,
  signal: AbortSignal,
): Promise<RunConnection> {
  const address = new URL(`/api/stream?subscribe=run:${run}`, url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: 16 * 1024 ** 2,
    handshakeTimeout: 30_000,
    ...(ca && { ca }),
  });
  const queue = new AsyncQueue<StreamedMessage>(Infinity);
  let silence: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), SILENCE_MS);
  };
  const stop = (): void => socket.terminate();
  signal.addEventListener("abort", stop, { once: true });
  socket.on("close", () => {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
    queue.fail(signal.aborted ? signal.reason : connectionFailure(new Error("the connection was lost"), url));
  });
  socket.on("ping", heard);
  socket.on("message", (data: RawData) => {
    heard();
    const message = parseJson((data as Buffer).toString("utf8"));
    if (typeof message === "object" && message !== null) void queue.push(message as StreamedMessage);
  });
  await opened(socket, url, signal);
  heard();
  return {
    messages: queue,
    say: (message) => socket.send(JSON.stringify(message)),
    [Symbol.dispose]: stop,
  };
}

async function opened(socket: WebSocket, url: URL, signal: AbortSignal): Promise<void> {
  const refused = new Promise<SkeinError>((resolve) => {
    socket.on("unexpected-response", (_, response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
      response.on("end", () => {
        resolve(refusalOf(response.statusCode ?? 0, text, url));
        socket.terminate();
      });
    });
    socket.on("error", (error) => resolve(connectionFailure(error, url)));
  });
  const result = await Promise.race([once(socket, "open").then(() => undefined), refused]).catch((error: unknown) =>
    connectionFailure(error, url),
  );
  signal.throwIfAborted();
  if (result) throw result;
}
