import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The account may not spend more: billing, credit or plan limit. */
export class QuotaExceededError extends SkeinError {
  override readonly name = "QuotaExceededError";
  /** The HTTP status of the refusal, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly status?: number | undefined } = {}) {
    super(message, { ...options, kind: "quota" });
    this.status = options.status;
  }
}
