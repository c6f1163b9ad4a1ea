import { z } from "zod";
import { SkeinError, toSkeinError, type JsonlRecord } from "../../core/internal.ts";
import { callCommand, findCalled } from "../command/call-command.ts";
import type { CallContext } from "../command/command.ts";
import { toErrorData, type ErrorData } from "../command/envelope.ts";
import { openMessages } from "./message-stream.ts";

/** Serves the commands as methods, until the input has ended and everything is answered. Gives what was asked. */
export async function serveRpc(
  context: CallContext,
  { abortOnEnd }: Pick<RpcSession, "abortOnEnd">,
): Promise<RpcSession["counts"]> {
  const { messages, write } = openMessages(context);
  const end = new AbortController();
  const counts = { requests: 0, failed: 0 };
  const session = { context, write, abortOnEnd, ended: end.signal, running: new Map(), counts };
  const taken = new Set<Promise<void>>();
  try {
    for await (const record of messages) {
      const one = take(record, session).finally(() => taken.delete(one));
      taken.add(one);
    }
  } finally {
    end.abort(new SkeinError("The input has ended", { kind: "cancelled" }));
    await Promise.all(taken);
  }
  return counts;
}

/** Answers a line: one request, or several whose answers come together. */
async function take(record: JsonlRecord, session: RpcSession): Promise<void> {
  const { write } = session;
  if (record.type !== "value") return await write(notJson(record.type === "broken" ? record.message : "it is cut off"));
  const { value } = record;
  if (!Array.isArray(value)) {
    const answer = await answerRequest(value, session);
    if (answer) await write(answer);
    return;
  }
  if (value.length === 0) return await write(notRequest(null, "The batch is empty"));
  const answers = await Promise.all(value.map((one) => answerRequest(one, session)));
  const given = answers.filter((answer) => answer !== undefined);
  if (given.length > 0) await write(given);
}

interface RpcSession {
  readonly context: CallContext;
  readonly write: (message: unknown) => Promise<void>;
  /** Whether the end of the input ends what still runs, instead of waiting for it. */
  readonly abortOnEnd: boolean;
  /** Aborted when nothing more comes in, no cancelling either. */
  readonly ended: AbortSignal;
  readonly running: Map<RpcId, AbortController>;
  readonly counts: { requests: number; failed: number };
}

/** Does what one message asks for, and gives the answer; none to a notification. Does not fail. */
async function answerRequest(value: unknown, session: RpcSession): Promise<RpcResponse | undefined> {
  const { data: request, error: wrong } = RpcRequest.safeParse(value);
  if (!request) return notRequest(idOf(value), `Not a JSON-RPC 2.0 request: ${wrong.issues[0]?.message}`);
  if (request.method === "$/cancelRequest") return cancel(request, session);
  session.counts.requests += 1;
  const { id } = request;
  if (id === undefined) return await notify(request, session);
  const { running, counts } = session;
  if (running.has(id)) return notRequest(id, `The request ${JSON.stringify(id)} is still running`);
  const controller = new AbortController();
  running.set(id, controller);
  try {
    return { jsonrpc: "2.0", id, result: await call(request, session, controller.signal) };
  } catch (error) {
    counts.failed += 1;
    return failure(id, request.method, toSkeinError(error));
  } finally {
    running.delete(id);
  }
}

/** Nobody waits for what it comes to; a failure is told to people. */
async function notify(request: RpcRequest, session: RpcSession): Promise<undefined> {
  try {
    await call(request, session, session.context.signal);
  } catch (error) {
    session.counts.failed += 1;
    session.context.notice(`${request.method}: ${toSkeinError(error).message}`);
  }
}

async function call(
  { id, method, params = {} }: RpcRequest,
  { context, write, abortOnEnd, ended }: RpcSession,
  cancelled: AbortSignal,
): Promise<object> {
  const command = await findCalled(context.commands, method);
  if (Array.isArray(params)) throw new SkeinError("params must be an object with named fields", { kind: "usage" });
  // One that serves until it is told to end could not be told any more.
  const endsToo = abortOnEnd || command.streaming === "always";
  const signal = AbortSignal.any([context.signal, cancelled, ...(endsToo ? [ended] : [])]);
  const emit = async (event: unknown): Promise<void> => {
    if (id !== undefined) await write({ jsonrpc: "2.0", method: "event", params: { id, event } });
  };
  return await callCommand(command, params, { ...context, signal, emit });
}

function cancel({ id, params }: RpcRequest, { running }: RpcSession): RpcResponse | undefined {
  const controller = running.get(idOf(params));
  controller?.abort(new SkeinError("The request was cancelled", { kind: "cancelled" }));
  return id === undefined ? undefined : { jsonrpc: "2.0", id, result: { cancelled: controller !== undefined } };
}

/** A request that is not understood is answered by its id all the same, where it has one. */
function idOf(value: unknown): RpcId {
  return RpcId.safeParse((value as { readonly id?: unknown } | null | undefined)?.id).data ?? null;
}

/** What the codes of JSON-RPC errors mean; the last one is the Language Server Protocol's. */
const CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  /** The command failed; `data.kind` says how. */
  commandFailed: -32_000,
  cancelled: -32_800,
} as const;

const RpcId = z.union([z.string(), z.number(), z.null()]);
type RpcId = z.infer<typeof RpcId>;

/** A request; without an id a notification, which is not answered. */
const RpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: RpcId.optional(),
  method: z.string(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
});
type RpcRequest = z.infer<typeof RpcRequest>;

type RpcResponse = { readonly jsonrpc: "2.0"; readonly id: RpcId } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data: ErrorData } }
);

/** The answer to a request that failed: by its command, unless another code is told. */
function failure(id: RpcId, operation: string, error: SkeinError, code = codeOf(error)): RpcResponse {
  return { jsonrpc: "2.0", id, error: { code, message: error.message, data: toErrorData(operation, error) } };
}

/** The answer to a line that is no JSON. */
function notJson(reason: string): RpcResponse {
  return failure(null, "rpc", new SkeinError(`The line is not JSON: ${reason}`, { kind: "parse" }), CODES.parseError);
}

/** The answer to JSON that is no request. */
function notRequest(id: RpcId, reason: string): RpcResponse {
  return failure(id, "rpc", new SkeinError(reason, { kind: "invalid_request" }), CODES.invalidRequest);
}

function codeOf({ kind }: SkeinError): number {
  if (kind === "command_not_found") return CODES.methodNotFound;
  if (kind === "usage") return CODES.invalidParams;
  return kind === "cancelled" ? CODES.cancelled : CODES.commandFailed;
}
