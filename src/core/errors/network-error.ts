import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The API could not be reached, or the connection broke. */
export class NetworkError extends SkeinError {
  override readonly name = "NetworkError";
  /** The system's error code, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly code?: string | undefined } = {}) {
    super(message, { retryable: true, ...options, kind: "network" });
    this.code = options.code;
  }
}
