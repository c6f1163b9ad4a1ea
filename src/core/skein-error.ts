import { inspect } from "node:util";
import type { ErrorKind } from "./error-kind.ts";

/** What every error may be given beside its message and kind. */
export interface SkeinErrorOptions {
  /** What the person who reads this can do next. */
  readonly hint?: string | undefined;
  /** The path, id, flag or address that the failure is about. */
  readonly target?: string | undefined;
  /** What led to this error. */
  readonly cause?: unknown;
  /** Whether the same call may succeed later; each class has its own default. */
  readonly retryable?: boolean | undefined;
}

/** An error as plain data: what `toJSON()` gives and what events and envelopes carry. */
export interface ErrorRecord {
  readonly name: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly target?: string;
  readonly [detail: string]: unknown;
}

/** The root of every error that Skein throws. Branch on `kind`. */
export class SkeinError extends Error {
  override readonly name: string = "SkeinError";
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly target: string | undefined;

  constructor(message: string, options: SkeinErrorOptions & { readonly kind: ErrorKind }) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = options.kind;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
    this.target = options.target;
  }

  /** The error as data, with whatever fields its class adds; the cause is reduced to its message. */
  toJSON(): ErrorRecord {
    const fields = Object.entries(this).filter(([, value]) => value !== undefined);
    return {
      name: this.name,
      kind: this.kind,
      message: this.message,
      retryable: this.retryable,
      ...Object.fromEntries(fields),
      ...(this.cause === undefined ? {} : { cause: messageOf(this.cause) }),
    };
  }
}

/** Gives any thrown value as a SkeinError, so that one place can report it. */
export function toSkeinError(thrown: unknown): SkeinError {
  if (thrown instanceof SkeinError) return thrown;
  if (thrown instanceof Error && thrown.name === "AbortError") {
    return new SkeinError("The operation was cancelled", { kind: "cancelled", cause: thrown });
  }
  if (thrown instanceof Error && thrown.name === "TimeoutError") {
    return new SkeinError("The operation took too long", { kind: "timeout", cause: thrown });
  }
  return new SkeinError(messageOf(thrown), { kind: "runtime", cause: thrown });
}

/** Anything can be thrown, even what cannot be turned into a string or JSON. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === "string" ? thrown : inspect(thrown);
}
