import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** A session cannot be loaded or gone on with. */
export class SessionCorruptedError extends SkeinError {
  override readonly name = "SessionCorruptedError";
  /** The session that was asked for. */
  readonly sessionId: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly sessionId?: string | undefined } = {}) {
    super(message, { ...options, kind: "session_corrupted" });
    this.sessionId = options.sessionId;
  }
}
