import type { ClientMessage, ServerMessage } from "../../../src/monitor/api-types.ts";

/** How it stands with the connection: `lost` says since when, and it is tried again all the while. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "lost"; readonly sinceMs: number };

/** The server's WebSocket, kept up: after a break it goes on after the last message that was heard. */
export interface Stream {
  connection(): Connection;
  onMessage(listener: (message: ServerMessage) => void): () => void;
  onConnection(listener: () => void): () => void;
  /** Asks for a topic until the returned function is called; several may ask for the same. */
  want(topic: string): () => void;
  send(message: ClientMessage): void;
}

const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** Who hears nothing for so long asks whether anybody is there. */
const PING_AFTER_MS = 20_000;

export function createStream(address: string, topics: readonly string[]): Stream {
  const wanted = new Map(topics.map((topic) => [topic, 1]));
  const messageListeners = new Set<(message: ServerMessage) => void>();
  const connectionListeners = new Set<() => void>();
  let connection: Connection = { state: "connecting" };
  let socket: WebSocket | undefined;
  let place = "";
  let epoch = "";
  let waitMs = SHORTEST_WAIT_MS;
  let heardAtMs = 0;

  function connect(): void {
    const query = new URLSearchParams({ subscribe: [...wanted.keys()].join(","), ...(place && { after: place }) });
    const opened = new WebSocket(`${address}?${query.toString()}`);
    socket = opened;
    opened.addEventListener("message", ({ data }: MessageEvent<string>) => hear(JSON.parse(data) as ServerMessage));
    opened.addEventListener("close", () => {
      if (socket !== opened) return;
      socket = undefined;
      if (connection.state !== "lost") tell({ state: "lost", sinceMs: Date.now() });
      window.setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    });
  }

  function hear(message: ServerMessage): void {
    heardAtMs = Date.now();
    if (message.type === "hello") {
      epoch = message.epoch;
      waitMs = SHORTEST_WAIT_MS;
      // Topics that were asked for while it connected.
      say({ type: "subscribe", topics: [...wanted.keys()] });
      tell({ state: "open" });
    }
    for (const listener of messageListeners) listener(message);
    // Only what was heard by everybody is not asked for again.
    if ("seq" in message && message.type !== "hello" && message.type !== "pong") place = `${epoch}:${message.seq}`;
  }

  function tell(next: Connection): void {
    connection = next;
    for (const listener of connectionListeners) listener();
  }

  function say(message: ClientMessage): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function change(topic: string, by: 1 | -1): void {
    const count = (wanted.get(topic) ?? 0) + by;
    if (count === 0) wanted.delete(topic);
    else wanted.set(topic, count);
    if (count === 0 || (by === 1 && count === 1)) say({ type: "subscribe", topics: [...wanted.keys()] });
  }

  connect();
  window.setInterval(() => {
    const quietMs = Date.now() - heardAtMs;
    if (connection.state === "open" && quietMs > 2 * PING_AFTER_MS) socket?.close();
    else if (quietMs > PING_AFTER_MS) say({ type: "ping" });
  }, PING_AFTER_MS / 2);

  return {
    connection: () => connection,
    onMessage: (listener) => listen(messageListeners, listener),
    onConnection: (listener) => listen(connectionListeners, listener),
    want(topic) {
      change(topic, 1);
      let isWanted = true;
      return () => {
        if (isWanted) change(topic, -1);
        isWanted = false;
      };
    },
    send: say,
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
