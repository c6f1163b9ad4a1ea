import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

/** A message that came in. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
  readonly json: any;
}

/** Somebody who is told by a webhook. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** What it does with what comes: a status to answer with, or nothing at all. */
  behave(how: number | "hang"): void;
  /** Waits until what came is enough. */
  until(isEnough: (received: readonly Received[]) => boolean): Promise<void>;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let how: number | "hang" = 204;
  const server = createServer((request, response) => {
    const take = (body: string): void => {
      received.push({ path: request.url ?? "", headers: request.headers, body, json: JSON.parse(body) as unknown });
      for (const wake of waiting) wake();
      if (how !== "hang") response.writeHead(how, how === 307 ? { location: "/elsewhere" } : {}).end();
    };
    text(request).then(take, () => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${own}/hook?key=hidden`,
    port: own,
    received,
    behave: (next) => (how = next),
    async until(isEnough) {
      if (isEnough(received)) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          if (!isEnough(received)) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
