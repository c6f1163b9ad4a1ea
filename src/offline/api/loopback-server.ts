import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { NetworkError } from "../../core/internal.ts";
import { sendApiError } from "./api-error.ts";

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

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === "EADDRINUSE";
    throw new NetworkError(taken ? `Port ${port} is in use` : `Cannot listen on port ${port}: ${error.message}`, {
      code: error.code,
      target: `127.0.0.1:${port}`,
      retryable: false,
      hint: taken ? "Choose another port, or leave it out to get a free one." : undefined,
      cause: error,
    });
  });
}

/** The names under which a program on this machine reaches its loopback. */
const OWN_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** What a browser says of a request that no other page made: typed by a person, or made by the server's own page. */
const OWN_SITES = new Set(["none", "same-origin"]);

/**
 * Why a request does not come from a program on this machine, but through somebody's browser; undefined where it does. A page
 * can point a name of its own at 127.0.0.1, which shows in `Host`, and can send to 127.0.0.1 from its own name, which shows in
 * `Origin` or `Sec-Fetch-Site`.
 */
function foreignRequest({ headers, url = "" }: IncomingMessage): string | undefined {
  const { host = "", origin } = headers;
  if (!isOwnAddress(`http://${host}`)) return `The host ${JSON.stringify(host)} is not this machine's loopback`;
  if (origin !== undefined && origin !== `http://${host}`) {
    return `The origin ${JSON.stringify(origin)} is another site`;
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && !OWN_SITES.has(site)) return "The request was made by another site's page";
  // A whole address in the place of a path is what a proxy is asked for.
  return url.startsWith("/") ? undefined : "The request is for another host";
}

function isOwnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, username, password, pathname, search, hash } = new URL(address);
  return OWN_NAMES.has(hostname) && [username, password, search, hash].every((part) => part === "") && pathname === "/";
}

const LIMIT_BYTES = 32 * 1024 * 1024;

/** Reads a request's body as text, up to the API's own limit; undefined for one that is longer. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= LIMIT_BYTES) chunks.push(chunk);
  }
  return sizeBytes > LIMIT_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}
