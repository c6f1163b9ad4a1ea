import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { messageOf, parseJson } from "../core/internal.ts";
import { sendApiError } from "./api/api-error.ts";
import { toApiMessage } from "./api/api-message.ts";
import { listenOnLoopback, type LoopbackServer, readBody } from "./api/loopback-server.ts";
import { CountTokensRequest, MessagesRequest } from "./api/messages-request.ts";
import { sendMessage } from "./api/send-message.ts";
import { play } from "./model/play.ts";
import { countInputTokens, PromptCache, Tally } from "./model/server-memory.ts";
import { Fault } from "./scenarios/fault.ts";
import { checkScenario, type Scenario } from "./scenarios/scenario.ts";

interface OfflineServerOptions {
  readonly scenario: Scenario;
  /** Any free port by default. */
  readonly port?: number;
  /** Told of each request to the Messages API, before it is answered. */
  readonly onRequest?: (request: MessagesRequest) => void;
}

/** Serves a scenario as a Messages API on loopback, for the real CLI and for any client of the API. */
export async function startOfflineServer({ scenario, port, onRequest }: OfflineServerOptions): Promise<LoopbackServer> {
  checkScenario(scenario, scenario.name);
  const cache = new PromptCache();
  const tally = new Tally();
  const answerMessages: Answer = async (request, response) => {
    const body = await parseBody(request, response, MessagesRequest);
    if (!body) return;
    if (!isModel(body.model)) return sendApiError(response, 404, { message: `model: ${body.model}` });
    onRequest?.(body);
    const named = request.headers["x-skein-rollout"];
    const rollout = named === undefined ? undefined : Number(named);
    const { reply, fault: given } = play(scenario, body, { tally, rollout });
    const message = toApiMessage(reply, { model: body.model, input: cache.measure(body), scenario: scenario.name });
    const fault = given && Fault.parse(given);
    if (fault?.type === "refuse") return server.refuseFor(fault.forMs);
    await sendMessage(response, message, { isStreamed: body.stream === true, fault });
  };
  const server = await listenOnLoopback((request, response) => {
    answer(request, response, answerMessages).catch((error: unknown) => fail(response, error));
  }, port);
  return server;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function answer(request: IncomingMessage, response: ServerResponse, answerMessages: Answer): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const route = `${request.method} ${pathname}`;
  if (route === "POST /v1/messages") return await answerMessages(request, response);
  if (route === "POST /v1/messages/count_tokens") return await answerCount(request, response);
  if (route === "GET /v1/models") {
    return sendJson(response, { data: MODELS, has_more: false, first_id: MODELS[0]?.id, last_id: MODELS.at(-1)?.id });
  }
  if (request.method === "GET" && pathname.startsWith("/v1/models/")) {
    const id = decodeURIComponent(pathname.slice("/v1/models/".length));
    return isModel(id) ? sendJson(response, describeModel(id)) : sendApiError(response, 404);
  }
  if (request.method === "HEAD") return void response.writeHead(200).end();
  sendApiError(response, 404, { message: `No such endpoint: ${route}` });
}

async function answerCount(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await parseBody(request, response, CountTokensRequest);
  if (body) sendJson(response, { input_tokens: countInputTokens({ ...body, max_tokens: 1 }) });
}

/** Reads and checks a body; answers with the API's own error and gives nothing when it is not valid. */
async function parseBody<Body>(
  request: IncomingMessage,
  response: ServerResponse,
  schema: z.ZodType<Body>,
): Promise<Body | undefined> {
  const body = await readBody(request);
  if (body === undefined) {
    sendApiError(response, 413);
    return undefined;
  }
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") || "the request body";
  sendApiError(response, 400, { message: `${place}: ${issue?.message}` });
  return undefined;
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A scenario's own function may throw: the client is told, and the server lives on. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  sendApiError(response, 500, { message: `The scenario failed: ${messageOf(error)}` });
}

/** The models that are listed; every other that `isModel` knows is answered for too. */
const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"].map(describeModel);

function isModel(id: string): boolean {
  return id.startsWith("claude-");
}

function describeModel(id: string) {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}
