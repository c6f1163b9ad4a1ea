import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { WebSocketServer } from "ws";
import { SkeinError, toSkeinError } from "../../core/internal.ts";
import { toErrorData } from "../../protocol/index.ts";
import { refuse, type Access } from "../access/guard.ts";
import { ERROR_STATUSES } from "../api/error-status.ts";
import type { EventStream } from "../stream/event-stream.ts";
import { Topic } from "../stream/messages.ts";
import type { Handlers } from "./listen.ts";
import type { PageFiles } from "./page-files.ts";
import { createWelcome } from "./welcome.ts";

/** What every answer says to a browser: nothing from elsewhere is loaded, nothing is put into another page, nothing is kept. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** What a client may send at once: it asks for little. */
const MOST_FRAME_BYTES = 64 * 1024;

const PING_EVERY_MS = 30_000;

/** Lets requests in that may come in, and hands them on. */
export function createFront(
  app: Hono,
  stream: EventStream,
  { access, pages }: { readonly access: Access; readonly pages: PageFiles },
): Handlers & Disposable {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME_BYTES, perMessageDeflate: false });
  const pinging = setInterval(() => pingAll(sockets), PING_EVERY_MS);
  pinging.unref();
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const welcome = createWelcome(access, pages);

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { pathname, searchParams } = addressOf(request);
    const guest = { request, response, pathname, searchParams };
    const misplaced = welcome.isFor(guest) ? await welcome.take(guest) : undefined;
    if (misplaced) return sendError(response, misplaced);
    if (response.headersSent) return;
    const refusal = await refuse(request, access);
    if (refusal) return sendError(response, refusal);
    if (isReading(request) && hasBody(request)) return sendError(response, tooMuch());
    // A URL would lead it to another address than the one that was sent.
    if (/\/(?:\.|%2e){1,2}(?:\/|$)/iu.test(pathname)) return sendError(response, nothingAt(pathname));
    if (isReading(request) && (await pages.sendFile(pathname, request, response))) return;
    await answer(request, response);
  }

  async function join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const { pathname, searchParams } = addressOf(request);
    const refusal =
      (await refuse(request, access)) ?? (pathname === "/api/stream" ? undefined : nothingThere(pathname));
    const topics = (searchParams.get("subscribe") ?? "runs,events").split(",").filter(Boolean);
    const isKnown = topics.length <= 64 && topics.every((topic) => Topic.safeParse(topic).success);
    if (refusal || !isKnown) return refuseUpgrade(socket, refusal ?? wrongTopics());
    sockets.handleUpgrade(request, socket, head, (client) => {
      stream.join({ socket: client, connection: socket }, { topics, after: searchParams.get("after") ?? undefined });
    });
  }

  return {
    request(request, response) {
      take(request, response).catch((error: unknown) => sendError(response, toSkeinError(error)));
    },
    upgrade(request, socket, head) {
      join(request, socket, head).catch(() => socket.destroy());
    },
    [Symbol.dispose]() {
      clearInterval(pinging);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

/** The path as it was sent: one that climbs is no other. */
function addressOf({ url = "/" }: IncomingMessage): {
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
} {
  const end = url.indexOf("?");
  const pathname = end === -1 ? url : url.slice(0, end);
  return { pathname, searchParams: new URLSearchParams(end === -1 ? "" : url.slice(end + 1)) };
}

function isReading({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** Nothing that is only read takes a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function tooMuch(): SkeinError {
  return new SkeinError("What is read has no body", { kind: "resource_exhausted", target: "body" });
}

function nothingAt(pathname: string): SkeinError {
  return new SkeinError(`There is nothing at ${pathname}`, { kind: "state_not_found", target: pathname });
}

function nothingThere(pathname: string): SkeinError {
  return new SkeinError(`There is no stream at ${pathname}`, { kind: "state_not_found", target: pathname });
}

function wrongTopics(): SkeinError {
  return new SkeinError("subscribe names a topic that there is not", {
    kind: "usage",
    target: "subscribe",
    hint: "Give runs, events, deltas, questions, programs, alerts, run:<id> or workspace:<path>, with commas between",
  });
}

function sendError(response: ServerResponse, error: SkeinError): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify({ error: toErrorData("request", error) });
  // What the client still sends is not read.
  response.writeHead(ERROR_STATUSES[error.kind] ?? 500, { "content-type": "application/json", connection: "close" });
  response.end(text);
}

function refuseUpgrade(socket: Duplex, error: SkeinError): void {
  const text = JSON.stringify({ error: toErrorData("stream", error) });
  const status = ERROR_STATUSES[error.kind] ?? 500;
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close`;
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

const answered = new WeakSet<object>();

/** Who did not answer the last ping is gone. */
function pingAll({ clients }: WebSocketServer): void {
  for (const client of clients) {
    if (client.listenerCount("pong") === 0) client.on("pong", () => answered.add(client));
    else if (!answered.delete(client)) {
      client.terminate();
      continue;
    }
    client.ping();
  }
}
