import { isoTime, systemClock, type Clock, type ErrorKind, type SkeinError } from "../core/index.ts";
import { CommandError } from "./command-error.ts";
import type { OutputFormat } from "./output-format.ts";

/** The version of the envelope's shape. */
const SCHEMA_VERSION = "2.0";

/** What the process ends with: 0 success, 1 error, 2 timeout. */
export type ExitCode = 0 | 1 | 2;

interface EnvelopeHead {
  /** When the command ended, ISO 8601. */
  readonly timestamp: string;
  readonly command: string;
  /** The same as the process's. */
  readonly exit_code: ExitCode;
  readonly output_format: OutputFormat;
  readonly schema_version: typeof SCHEMA_VERSION;
}

/** A command that did what it was asked to. */
export interface SuccessEnvelope extends EnvelopeHead {
  readonly data: unknown;
}

/** A command that did not. */
export interface ErrorEnvelope extends EnvelopeHead {
  readonly error: EnvelopeError;
}

/** What went wrong; the six fields are always there, a command may add its own. */
export interface EnvelopeError {
  readonly kind: ErrorKind;
  /** The command that failed. */
  readonly operation: string;
  /** The path, flag, id or address that it is about. */
  readonly target: string | null;
  readonly retryable: boolean;
  readonly message: string;
  /** What to do next. */
  readonly hint: string | null;
  readonly [detail: string]: unknown;
}

/** Which command speaks, and how. */
export interface EnvelopeSource {
  readonly command: string;
  readonly format: OutputFormat;
  readonly clock?: Clock;
}

/** The envelope around what a command found. */
export function successEnvelope(source: EnvelopeSource, data: unknown): SuccessEnvelope {
  return { ...head(source, 0), data };
}

/** The envelope around a failure. */
export function errorEnvelope(source: EnvelopeSource, error: SkeinError): ErrorEnvelope {
  return {
    ...head(source, exitCodeOf(error)),
    error: {
      kind: error.kind,
      operation: source.command,
      target: error.target ?? null,
      retryable: error.retryable,
      message: error.message,
      hint: error.hint ?? null,
      ...(error instanceof CommandError ? error.details : {}),
    },
  };
}

/** What the process ends with after this error. */
export function exitCodeOf(error: SkeinError): ExitCode {
  return error.kind === "timeout" ? 2 : 1;
}

function head({ command, format, clock = systemClock }: EnvelopeSource, exitCode: ExitCode): EnvelopeHead {
  return {
    timestamp: isoTime(clock.now()),
    command,
    exit_code: exitCode,
    output_format: format,
    schema_version: SCHEMA_VERSION,
  };
}
