import { z } from "zod";
import type { EnvelopeError } from "../command/envelope.ts";

/** What the codes of JSON-RPC errors mean; the last one is the Language Server Protocol's. */
export const RPC_CODES = {
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

/** How a request is told from others. */
export type RpcId = z.infer<typeof RpcId>;

/** A request; without an id a notification, which is not answered. */
export const RpcRequest = z.object({
  jsonrpc: z.literal("2.0"),
  id: RpcId.optional(),
  method: z.string(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
});

/** A request; without an id a notification, which is not answered. */
export type RpcRequest = z.infer<typeof RpcRequest>;

/** An answer: what the command gave, or why it failed. */
export type RpcResponse = { readonly jsonrpc: "2.0"; readonly id: RpcId } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data: EnvelopeError } }
);
