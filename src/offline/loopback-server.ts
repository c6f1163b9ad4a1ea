import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { NetworkError } from "../core/index.ts";
import { sendApiError } from "./api-error.ts";
import { foreignRequest } from "./foreign-request.ts";

/** A server that only this machine can reach. */
export interface LoopbackServer extends AsyncDisposable {
  /** What `ANTHROPIC_BASE_URL` is set to. */
  readonly url: string;
  readonly port: number;
  /** Refuses new connections for a while, as a host that is down does, then listens on the same port again. */
  refuseFor(ms: number): void;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/** Serves requests of this machine's programs on 127.0.0.1, on the given port or on any free one. A browser's pages are refused. */
export async function listenOnLoopback(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const reason = foreignRequest(request);
    if (reason === undefined) return listener(request, response);
    // Its body is not read: what is still coming ends with the connection.
    response.setHeader("connection", "close");
    const message = `${reason}. This server answers programs on this machine, as http://127.0.0.1 or http://localhost.`;
    sendApiError(response, 403, { message });
  });
  await listen(server, port);
  const address = server.address() as AddressInfo;
  let reopening: NodeJS.Timeout | undefined;
  let closed = false;

  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(reopening);
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };

  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    refuseFor(ms) {
      server.close();
      server.closeAllConnections();
      clearTimeout(reopening);
      reopening = setTimeout(() => {
        if (!closed) void listen(server, address.port);
      }, ms);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, port));
    server.once("error", onError);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number): NetworkError {
  const taken = error.code === "EADDRINUSE";
  return new NetworkError(taken ? `Port ${port} is in use` : `Cannot listen on port ${port}: ${error.message}`, {
    code: error.code,
    target: `127.0.0.1:${port}`,
    retryable: false,
    hint: taken ? "Choose another port, or leave it out to get a free one." : undefined,
    cause: error,
  });
}
