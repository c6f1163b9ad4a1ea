import type { ServerResponse } from "node:http";
import { createId } from "../../core/internal.ts";

const ERROR_TYPES: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "The request is not valid"],
  401: ["authentication_error", "invalid x-api-key"],
  402: ["billing_error", "Payment is required to continue"],
  403: ["permission_error", "Your API key may not use this resource"],
  404: ["not_found_error", "Not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your rate limit"],
  500: ["api_error", "Internal server error"],
  502: ["api_error", "Bad gateway"],
  529: ["overloaded_error", "Overloaded"],
};

/** An error in the API's own shape, as a body or as an event of a stream. */
export function toApiError(
  status: number,
  { message, requestId }: { readonly message?: string | undefined; readonly requestId: string },
) {
  const [type, usual] = ERROR_TYPES[status] ?? ["api_error", "Error"];
  return { type: "error", error: { type, message: message ?? usual }, request_id: requestId };
}

export function sendApiError(
  response: ServerResponse,
  status: number,
  options: { readonly message?: string | undefined; readonly retryAfterS?: number | undefined } = {},
): void {
  const requestId = `req_${createId().replaceAll("-", "")}`;
  const retryAfter = options.retryAfterS === undefined ? {} : { "retry-after": String(options.retryAfterS) };
  response.writeHead(status, { "content-type": "application/json", "request-id": requestId, ...retryAfter });
  response.end(JSON.stringify(toApiError(status, { message: options.message, requestId })));
}
