import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** What an error about a used-up resource is made of. */
interface ResourceExhaustionOptions extends SkeinErrorOptions {
  readonly resource?: string | undefined;
  readonly limitedBy?: string | undefined;
}

/** The machine ran out of something: memory, disk, processes, file handles. */
export class ResourceExhaustionError extends SkeinError {
  override readonly name = "ResourceExhaustionError";
  /** What ran out. */
  readonly resource: string | undefined;
  /** What held the limit: `cgroup-v1`, `cgroup-v2` or `samples` for memory. */
  readonly limitedBy: string | undefined;

  constructor(message: string, options: ResourceExhaustionOptions = {}) {
    super(message, { retryable: true, ...options, kind: "resource_exhausted" });
    this.resource = options.resource;
    this.limitedBy = options.limitedBy;
  }
}
