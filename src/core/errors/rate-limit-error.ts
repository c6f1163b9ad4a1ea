import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The API asked to slow down. */
export class RateLimitError extends SkeinError {
  override readonly name = "RateLimitError";
  /** How long the API asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, { retryable: true, ...options, kind: "rate_limit" });
    this.retryAfterMs = options.retryAfterMs;
  }
}
