import { SkeinError, toSkeinError } from "../../core/index.ts";
import { callCommand, findCalled } from "../command/call-command.ts";
import type { CallContext } from "../command/command.ts";
import { failure, notRequest } from "./rpc-errors.ts";
import { RpcId, RpcRequest, type RpcResponse } from "./rpc-message.ts";

/** What the requests of one stream have in common. */
export interface RpcSession {
  readonly context: CallContext;
  readonly write: (message: unknown) => Promise<void>;
  /** Whether the end of the input ends what still runs, instead of waiting for it. */
  readonly abortOnEnd: boolean;
  /** Aborted when nothing more comes in, no cancelling either. */
  readonly ended: AbortSignal;
  /** What runs and can be cancelled. */
  readonly running: Map<RpcId, AbortController>;
  /** What was asked so far, notifications included. */
  readonly counts: { requests: number; failed: number };
}

/** Does what one message asks for, and gives the answer; none to a notification. Does not fail. */
export async function answerRequest(value: unknown, session: RpcSession): Promise<RpcResponse | undefined> {
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
  const onEvent = async (event: unknown): Promise<void> => {
    if (id !== undefined) await write({ jsonrpc: "2.0", method: "event", params: { id, event } });
  };
  return await callCommand(command, { params, signal, onEvent }, context);
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
