import { isoTime, systemClock, type Clock, type ErrorKind, type SkeinError } from "../../core/index.ts";
import { toWireKey } from "./wire-keys.ts";

/** How a command speaks: for people, as one envelope, or as a line for each event with the envelope last. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

/** How a command speaks. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The shapes of the envelope: 2 has `data` or `error`; 1 has the fields of `data` beside the common ones, for old consumers. */
export const ENVELOPE_VERSIONS = ["1", "2"] as const;

/** A shape of the envelope. */
export type EnvelopeVersion = (typeof ENVELOPE_VERSIONS)[number];

/** What the process ends with: 0 success, 1 error, 2 timeout; 130 where it was interrupted twice. */
export type ExitCode = 0 | 1 | 2 | 130;

interface EnvelopeHead {
  /** When the command ended, ISO 8601. */
  readonly timestamp: string;
  readonly command: string;
  /** The same as the process's. */
  readonly exit_code: ExitCode;
  readonly output_format: OutputFormat;
  readonly schema_version: `${EnvelopeVersion}.0`;
}

/** A command that did what it was asked to: its `data`, or in the first version of the envelope the fields of it. */
export interface SuccessEnvelope extends EnvelopeHead {
  readonly [field: string]: unknown;
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
  readonly version: EnvelopeVersion;
  readonly clock?: Clock;
}

/** The envelope around what a command found. */
export function successEnvelope(source: EnvelopeSource, data: object): SuccessEnvelope {
  return { ...head(source, 0), ...(source.version === "1" ? data : { data }) };
}

/** The envelope around a failure. */
export function errorEnvelope(
  source: EnvelopeSource,
  error: SkeinError,
  exitCode: ExitCode = exitCodeOf(error),
): ErrorEnvelope {
  const details = Object.entries(error.details).map(([name, value]) => [toWireKey(name), value] as const);
  return {
    ...head(source, exitCode),
    error: {
      kind: error.kind,
      operation: source.command,
      target: error.target ?? null,
      retryable: error.retryable,
      message: error.message,
      hint: error.hint ?? null,
      ...Object.fromEntries(details),
    },
  };
}

/** What the process ends with after this error. */
export function exitCodeOf(error: SkeinError): ExitCode {
  return error.kind === "timeout" ? 2 : 1;
}

function head({ command, format, version, clock = systemClock }: EnvelopeSource, exitCode: ExitCode): EnvelopeHead {
  return {
    timestamp: isoTime(clock.now()),
    command,
    exit_code: exitCode,
    output_format: format,
    schema_version: `${version}.0`,
  };
}
