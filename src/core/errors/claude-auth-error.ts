import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** No credentials were found, or the API refused them. */
export class ClaudeAuthError extends SkeinError {
  override readonly name = "ClaudeAuthError";
  /** The HTTP status of the refusal, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly status?: number | undefined } = {}) {
    super(message, { ...options, kind: "auth" });
    this.status = options.status;
  }
}
