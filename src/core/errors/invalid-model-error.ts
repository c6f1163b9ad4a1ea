import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The model does not exist or is not open to this account. */
export class InvalidModelError extends SkeinError {
  override readonly name = "InvalidModelError";
  /** The model that was asked for. */
  readonly model: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly model?: string | undefined } = {}) {
    super(message, { ...options, kind: "invalid_model" });
    this.model = options.model;
  }
}
