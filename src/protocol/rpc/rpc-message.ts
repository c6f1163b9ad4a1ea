import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { toErrorData, type ErrorData } from "../command/envelope.ts";

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

/** How a request is told from others. */
export const RpcId = z.union([z.string(), z.number(), z.null()]);
export type RpcId = z.infer<typeof RpcId>;

/** A request; without an id a notification, which is not answered. */
export const RpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: RpcId.optional(),
  method: z.string(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
});
export type RpcRequest = z.infer<typeof RpcRequest>;

export type RpcResponse = { readonly jsonrpc: "2.0"; readonly id: RpcId } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data: ErrorData } }
);

/** The answer to a request that failed: by its command, unless another code is told. */
export function failure(id: RpcId, operation: string, error: SkeinError, code = codeOf(error)): RpcResponse {
  return { jsonrpc: "2.0", id, error: { code, message: error.message, data: toErrorData(operation, error) } };
}

/** The answer to a line that is no JSON. */
export function notJson(reason: string): RpcResponse {
  return failure(null, "rpc", new SkeinError(`The line is not JSON: ${reason}`, { kind: "parse" }), CODES.parseError);
}

/** The answer to JSON that is no request. */
export function notRequest(id: RpcId, reason: string): RpcResponse {
  return failure(id, "rpc", new SkeinError(reason, { kind: "invalid_request" }), CODES.invalidRequest);
}

function codeOf({ kind }: SkeinError): number {
  if (kind === "command_not_found") return CODES.methodNotFound;
  if (kind === "usage") return CODES.invalidParams;
  return kind === "cancelled" ? CODES.cancelled : CODES.commandFailed;
}
