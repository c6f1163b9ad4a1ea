import { z } from "zod";
import { ERROR_KINDS, isoTime, SkeinError, systemClock } from "../../core/internal.ts";
import { toWireKey } from "./wire-keys.ts";

/** How a command speaks: for people, as one envelope, or as a line for each event with the envelope last. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/**
 * The shapes of the envelope: 2 has `data` or `error`; 1 is flat, for old consumers: the fields of `data` beside the common ones, and `kind`,
 * which is the command, or of an error what went wrong.
 */
export const ENVELOPE_VERSIONS = ["1", "2"] as const;

export type EnvelopeVersion = (typeof ENVELOPE_VERSIONS)[number];

/** What the process ends with: 0 success, 1 error, 2 timeout; 130 where it was interrupted twice. */
export type ExitCode = 0 | 1 | 2 | 130;

/** What went wrong; the six fields are always there, and beside them whatever else is known. */
export const ErrorData = z.looseObject({
  kind: z.enum(ERROR_KINDS).meta({ description: "What went wrong, from a closed list; branch on this" }),
  operation: z.string().meta({ description: "The command that failed" }),
  target: z.string().nullable().meta({ description: "The path, flag, id or address concerned" }),
  retryable: z.boolean().meta({ description: "Whether the same command may succeed if run again" }),
  message: z.string().describe("What went wrong, in a sentence for people"),
  hint: z.string().nullable().meta({ description: "What to do next" }),
});
export type ErrorData = z.infer<typeof ErrorData>;

export interface EnvelopeSource {
  readonly command: string;
  readonly format: OutputFormat;
  readonly version: EnvelopeVersion;
}

export function successEnvelope(source: EnvelopeSource, data: object): object {
  const common = head(source, 0);
  return source.version === "1" ? besides({ ...common, kind: source.command }, data) : { ...common, data };
}

export function errorEnvelope(source: EnvelopeSource, error: SkeinError, exitCode: ExitCode): object {
  const common = head(source, exitCode);
  const data = toErrorData(source.command, error);
  if (source.version === "2") return { ...common, error: data };
  const { kind, message, hint, operation: _, ...rest } = data;
  return besides({ ...common, type: "error", kind, error: message, hint }, rest);
}

/** Fields beside those that every envelope has; one with a name of these is called `data_kind`, `data_type` …, so that nothing is lost. */
function besides(common: object, fields: object): object {
  const named = Object.entries(fields).map(([name, value]) => [
    Object.hasOwn(common, name) ? `data_${name}` : name,
    value,
  ]);
  return { ...common, ...Object.fromEntries(named) };
}

function head({ command, format, version }: EnvelopeSource, exitCode: ExitCode): object {
  const timestamp = isoTime(systemClock.now());
  return { timestamp, command, exit_code: exitCode, output_format: format, schema_version: `${version}.0` };
}

export function toErrorData(command: string, error: SkeinError): ErrorData {
  const details = Object.entries(error.details).map(([name, value]) => [toWireKey(name), value]);
  return {
    kind: error.kind,
    operation: command,
    target: error.target ?? null,
    retryable: error.retryable,
    message: error.message,
    hint: error.hint ?? null,
    ...Object.fromEntries(details),
  };
}

/** The error that another process told of. */
export function errorFromData(data: ErrorData): SkeinError {
  const { kind, message, retryable, target, hint, operation: _, ...details } = data;
  return new SkeinError(message, { kind, retryable, target: target ?? undefined, hint: hint ?? undefined, details });
}

export function exitCodeOf(error: SkeinError): ExitCode {
  return error.kind === "timeout" ? 2 : 1;
}
