import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The API answered with an error that no other class stands for. */
export class ApiError extends SkeinError {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: SkeinErrorOptions & {
      readonly kind?: "server" | "overloaded" | "invalid_request";
      readonly status?: number | undefined;
    } = {},
  ) {
    super(message, { ...options, kind: options.kind ?? "server" });
    this.status = options.status;
  }
}
