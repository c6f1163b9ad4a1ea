import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The Claude Code CLI is not where it was looked for, or is not the CLI. */
export class ClaudeNotFoundError extends SkeinError {
  override readonly name = "ClaudeNotFoundError";
  /** Where it was looked for. */
  readonly cliPath: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly cliPath?: string | undefined } = {}) {
    super(message, { ...options, kind: "cli_not_found" });
    this.cliPath = options.cliPath;
  }
}
