/** Every way in which Skein can fail, as one closed list: callers branch on these words, never on a message. */
export const ERROR_KINDS = [
  "usage",
  "parse",
  "filesystem",
  "config",
  "auth",
  "cli_not_found",
  "invalid_model",
  "invalid_request",
  "rate_limit",
  "quota",
  "overloaded",
  "server",
  "network",
  "timeout",
  "cancelled",
  "budget",
  "policy",
  "process",
  "resource_exhausted",
  "session_corrupted",
  "state_not_found",
  "workspace_busy",
  "runtime",
] as const;

/** One word of the closed list of failures. */
export type ErrorKind = (typeof ERROR_KINDS)[number];
