import type { SDKAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

/** What an assistant message says of the failure that it stands for. */
export interface AssistantFailure {
  /** The SDK's word for it. */
  readonly word: NonNullable<SDKAssistantMessage["error"]>;
  /** The HTTP status that it came with, or that the API gives such an error in a stream. */
  readonly status?: number | undefined;
  /** Whether the connection was lost. The SDK has the word `server_error` for that too. */
  readonly isConnection: boolean;
}

/** Fields of such a message that the SDK's types leave out. */
const FIELDS = z.object({
  /** What the connection came to, where it failed. */
  api_error: z.string().optional().catch(undefined),
  api_error_status: z.number().optional().catch(undefined),
  /** The API's own word. */
  api_error_type: z.string().optional().catch(undefined),
});

const STATUS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** Reads the failure of an assistant message; undefined for one that is an answer. `errorType` is the API's word, where it is known from elsewhere. */
export function readFailure(message: SDKAssistantMessage, errorType?: string): AssistantFailure | undefined {
  if (message.error === undefined) return undefined;
  const { api_error: connection, api_error_status: status, api_error_type: told } = FIELDS.parse(message);
  const type = told ?? errorType;
  return {
    word: message.error,
    status: status ?? (type === undefined ? undefined : STATUS_BY_TYPE.get(type)),
    isConnection: connection !== undefined,
  };
}
