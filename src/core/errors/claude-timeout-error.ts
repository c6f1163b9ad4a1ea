import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** Which limit was passed. */
export type TimeoutReason = "turn" | "idle" | "deadline";

/** A turn took longer than it was given. */
export class ClaudeTimeoutError extends SkeinError {
  override readonly name = "ClaudeTimeoutError";
  /** The limit that was passed. */
  readonly timeoutMs: number | undefined;
  readonly reason: TimeoutReason | undefined;

  constructor(
    message: string,
    options: SkeinErrorOptions & { readonly timeoutMs?: number | undefined; readonly reason?: TimeoutReason } = {},
  ) {
    super(message, { retryable: true, ...options, kind: "timeout" });
    this.timeoutMs = options.timeoutMs;
    this.reason = options.reason;
  }
}
