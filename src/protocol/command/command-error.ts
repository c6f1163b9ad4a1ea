import { SkeinError, type ErrorKind, type SkeinErrorOptions } from "../../core/index.ts";

/** What a command failed with: an error, or the record of one. */
export interface CommandFailure extends SkeinErrorOptions {
  readonly kind: ErrorKind;
  readonly message: string;
}

/** A command failed and has more to tell than the error itself; `details` are added to the envelope's error. */
export class CommandError extends SkeinError {
  override readonly name = "CommandError";
  readonly details: Readonly<Record<string, unknown>>;

  constructor(failure: CommandFailure, details: Readonly<Record<string, unknown>>) {
    super(failure.message, failure);
    this.details = details;
  }
}
