import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The machine ran out of something: memory, disk, processes, file handles. */
export class ResourceExhaustionError extends SkeinError {
  override readonly name = "ResourceExhaustionError";
  /** What ran out. */
  readonly resource: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly resource?: string | undefined } = {}) {
    super(message, { retryable: true, ...options, kind: "resource_exhausted" });
    this.resource = options.resource;
  }
}
