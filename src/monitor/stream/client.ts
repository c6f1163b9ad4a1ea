import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { parseJson, SkeinError, toSkeinError } from "../../core/internal.ts";
import { toErrorData } from "../../protocol/index.ts";
import { ClientMessage, type ServerMessage } from "./messages.ts";

/** Above this a client is slow, and gets no pieces of what is being written. */
const SLOW_BYTES = 256 * 1024;

/** Above this it is cut loose: it can come back and go on after what it has. */
const MOST_BYTES = 8 * 1024 ** 2;

/** Somebody who listens. */
export interface StreamClient {
  topics: ReadonlySet<string>;
  send(text: string): void;
  /** Sends what may be dropped. */
  offer(text: string): void;
}

/** A WebSocket, and the connection that it is spoken over. */
export interface Connected {
  readonly socket: WebSocket;
  readonly connection: Duplex;
}

/** Speaks with one client; what it asks for is handed to `onMessage`, one after the other. */
export function openClient(
  { socket, connection }: Connected,
  onMessage: (message: ClientMessage, client: StreamClient) => Promise<void>,
): StreamClient {
  let work = Promise.resolve();
  let isHeld = false;
  // What is sent at once goes out at once: a call of the system for each message is most of what a message costs.
  function sendSoon(text: string): void {
    if (!isHeld) {
      isHeld = true;
      connection.cork();
      setImmediate(() => {
        isHeld = false;
        connection.uncork();
      });
    }
    socket.send(text);
  }

  const client: StreamClient = {
    topics: new Set(),
    send(text) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MOST_BYTES) socket.terminate();
      else sendSoon(text);
    },
    offer(text) {
      if (socket.bufferedAmount <= SLOW_BYTES) client.send(text);
    },
  };
  socket.on("message", (data, isBinary) => {
    const message = isBinary ? undefined : ClientMessage.safeParse(parseJson((data as Buffer).toString("utf8"))).data;
    const answer = message
      ? () => onMessage(message, client)
      : () => Promise.reject(new SkeinError("The message is none that the server knows", { kind: "invalid_request" }));
    work = work.then(answer).catch((error: unknown) => sendMessage(client, failure(error)));
  });
  // A frame that breaks the protocol, or is too large, ends the connection by itself.
  socket.on("error", () => socket.terminate());
  return client;
}

export function sendMessage(client: Pick<StreamClient, "send">, message: ServerMessage): void {
  client.send(JSON.stringify(message));
}

function failure(error: unknown): ServerMessage {
  return { type: "error", error: toErrorData("stream", toSkeinError(error)) };
}
