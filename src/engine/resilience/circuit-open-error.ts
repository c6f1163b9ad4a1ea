import { SkeinError, type SkeinErrorOptions } from "../../core/index.ts";

/** A turn was not begun, because the turns before it failed and their endpoint is left alone for a while. */
export class CircuitOpenError extends SkeinError {
  override readonly name = "CircuitOpenError";
  /** The breaker that is open. */
  readonly breaker: string;
  /** How long until a turn is let through; absent while one is out to try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: SkeinErrorOptions & { readonly breaker: string; readonly retryAfterMs?: number | undefined },
  ) {
    super(message, { retryable: true, ...options, kind: "overloaded" });
    this.breaker = options.breaker;
    this.retryAfterMs = options.retryAfterMs;
  }
}
