import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** A turn, a tool or a start-up took longer than it was given. */
export class ClaudeTimeoutError extends SkeinError {
  override readonly name = "ClaudeTimeoutError";
  /** The limit that was passed. */
  readonly timeoutMs: number | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly timeoutMs?: number | undefined } = {}) {
    super(message, { retryable: true, ...options, kind: "timeout" });
    this.timeoutMs = options.timeoutMs;
  }
}
