import type { ErrorKind } from "../../core/internal.ts";

/** What an error's kind is in HTTP; 500 is the rest. */
export const ERROR_STATUSES: Readonly<Partial<Record<ErrorKind, 400 | 401 | 403 | 404 | 409 | 413 | 429 | 504>>> = {
  usage: 400,
  parse: 400,
  invalid_request: 400,
  auth: 401,
  policy: 403,
  untrusted_folder: 403,
  state_not_found: 404,
  session_not_found: 404,
  conflict: 409,
  workspace_busy: 409,
  restore_interrupted: 409,
  resource_exhausted: 413,
  rate_limit: 429,
  timeout: 504,
};
