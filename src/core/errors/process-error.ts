import { SkeinError, type SkeinErrorOptions } from "../skein-error.ts";

/** The CLI process failed: it could not be started, or ended in a way it should not. */
export class ProcessError extends SkeinError {
  override readonly name = "ProcessError";
  /** The exit code, where the process ended by itself. */
  readonly exitCode: number | undefined;
  /** The signal that ended it. */
  readonly signal: string | undefined;
  /** The last lines it wrote to standard error. */
  readonly stderrTail: string | undefined;
  /** What was run. */
  readonly command: string | undefined;

  constructor(
    message: string,
    options: SkeinErrorOptions & {
      readonly exitCode?: number | undefined;
      readonly signal?: string | undefined;
      readonly stderrTail?: string | undefined;
      readonly command?: string | undefined;
    } = {},
  ) {
    super(message, { ...options, kind: "process" });
    this.exitCode = options.exitCode;
    this.signal = options.signal;
    this.stderrTail = options.stderrTail;
    this.command = options.command;
  }
}
