import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** An option has a value that cannot work. */
export class ClaudeConfigError extends SkeinError {
  override readonly name = "ClaudeConfigError";
  /** The option, as the caller writes it. */
  readonly option: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly option?: string | undefined } = {}) {
    super(message, { ...options, kind: "config" });
    this.option = options.option;
  }
}
