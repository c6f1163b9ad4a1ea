import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { SkeinError } from "../../core/internal.ts";
import type { Bind } from "./bind.ts";

/** Who answers. */
export interface Handlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Whoever sends slowly, or opens connections and says nothing, is cut off. */
const LIMITS = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 15_000, maxHeaderSize: 16 * 1024 };

const MOST_CONNECTIONS = 512;

/** Begins to listen; nothing is answered before `handlers` are there. */
export async function listen({ host, port, tls }: Bind): Promise<{ readonly server: Server; readonly port: number }> {
  const server = tls ? createHttpsServer({ ...LIMITS, ...tls, minVersion: "TLSv1.2" }) : createHttpServer(LIMITS);
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw cannotListen(cause as NodeJS.ErrnoException, host, port);
  }
  return { server, port: (server.address() as AddressInfo).port };
}

export function handle(server: Server, { request, upgrade }: Handlers): void {
  server.on("request", request);
  server.on("upgrade", upgrade);
  server.on("clientError", (_, socket) => socket.destroy());
}

function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): SkeinError {
  const target = `${host}:${port}`;
  if (cause.code === "EADDRINUSE") {
    return new SkeinError(`The port ${port} is in use on ${host}`, {
      kind: "conflict",
      target,
      hint: "Give another `port`; 0 picks a free one",
      cause,
    });
  }
  return new SkeinError(`The server cannot listen on ${target}: ${cause.message}`, {
    kind: cause.code === "EACCES" || cause.code === "EADDRNOTAVAIL" ? "usage" : "network",
    target,
    hint: "Give an address of this machine as `host`, and a `port` above 1023",
    cause,
  });
}

/** Ends a server: nobody is waited for. */
export async function endServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
