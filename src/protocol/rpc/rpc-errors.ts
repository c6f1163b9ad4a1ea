import { SkeinError } from "../../core/index.ts";
import { toErrorData } from "../command/call-command.ts";
import { RPC_CODES, type RpcId, type RpcResponse } from "./rpc-message.ts";

/** The answer to a request whose command failed. */
export function failure(id: RpcId, method: string, error: SkeinError): RpcResponse {
  const { message } = error;
  return { jsonrpc: "2.0", id, error: { code: codeOf(error), message, data: toErrorData(method, error) } };
}

/** The answer to a line that is no JSON. */
export function notJson(reason: string): RpcResponse {
  return refusal(null, RPC_CODES.parseError, new SkeinError(`The line is not JSON: ${reason}`, { kind: "parse" }));
}

/** The answer to JSON that is no request. */
export function notRequest(id: RpcId, reason: string): RpcResponse {
  return refusal(id, RPC_CODES.invalidRequest, new SkeinError(reason, { kind: "invalid_request" }));
}

function refusal(id: RpcId, code: number, error: SkeinError): RpcResponse {
  return { jsonrpc: "2.0", id, error: { code, message: error.message, data: toErrorData("rpc", error) } };
}

function codeOf({ kind }: SkeinError): number {
  if (kind === "command_not_found") return RPC_CODES.methodNotFound;
  if (kind === "usage") return RPC_CODES.invalidParams;
  return kind === "cancelled" ? RPC_CODES.cancelled : RPC_CODES.commandFailed;
}
