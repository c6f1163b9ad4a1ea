import { inspect } from "node:util";
import { defined, ownValue } from "./records.ts";

/** Every way in which Skein can fail, as one closed list: callers branch on these words, never on a message. */
export const ERROR_KINDS = [
  "usage",
  "parse",
  "filesystem",
  "config",
  "auth",
  "cli_not_found",
  "invalid_model",
  "invalid_request",
  "rate_limit",
  "quota",
  "overloaded",
  "server",
  "network",
  "timeout",
  "cancelled",
  "budget",
  "policy",
  "process",
  "resource_exhausted",
  "session_corrupted",
  "session_not_found",
  "session_load_failed",
  "session_delete_failed",
  "command_not_found",
  "tool_not_found",
  "mcp",
  "state_not_found",
  "workspace_busy",
  "restore_interrupted",
  "untrusted_folder",
  "conflict",
  "runtime",
] as const;

/** One word of the closed list of failures. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

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
  /** What else is known, by name; those of a class have options of their own. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The options of a class that tells more, as far as it is known. */
type With<Details> = SkeinErrorOptions & { readonly [Name in keyof Details]?: Details[Name] | undefined };

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

/** What an error tells beyond what every error does. */
type DetailsOf<E> = Readonly<Omit<E, keyof SkeinError>> & Readonly<Record<string, unknown>>;

/** The root of every error that Skein throws. Branch on `kind`. */
export class SkeinError extends Error {
  override readonly name: string = "SkeinError";
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly target: string | undefined;
  readonly #details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: SkeinErrorOptions & { readonly kind: ErrorKind }) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = options.kind;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
    this.target = options.target;
    this.#details = options.details ?? {};
  }

  /** What it tells beyond what every error does: the fields of its class, and the details that it was given. */
  get details(): DetailsOf<this> {
    const fields = Object.entries(this).filter(([name, value]) => value !== undefined && !COMMON_FIELDS.has(name));
    return { ...Object.fromEntries(fields), ...this.#details } as DetailsOf<this>;
  }

  /** The error as data, with its details; the cause is reduced to its message. */
  toJSON(): ErrorRecord {
    const { name, kind, message, retryable, hint, target } = this;
    const common = { name, kind, message, retryable, ...defined({ hint, target }) };
    const cause = this.cause === undefined ? {} : { cause: messageOf(this.cause) };
    return { ...this.details, ...common, ...cause };
  }
}

const COMMON_FIELDS: ReadonlySet<string> = new Set(["name", "kind", "message", "retryable", "hint", "target", "cause"]);

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
/** What any thrown value says. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === "string" ? thrown : inspect(thrown);
}

/** The Claude Code CLI is not where it was looked for, or is not the CLI. */
export class ClaudeNotFoundError extends SkeinError {
  override readonly name = "ClaudeNotFoundError";
  /** Where it was looked for. */
  readonly cliPath: string | undefined;

  constructor(message: string, options: With<{ cliPath: string }> = {}) {
    super(message, { ...options, kind: "cli_not_found" });
    this.cliPath = options.cliPath;
  }
}

/** No credentials were found, or the API refused them. */
export class ClaudeAuthError extends SkeinError {
  override readonly name = "ClaudeAuthError";
  /** The HTTP status of the refusal, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: With<{ status: number }> = {}) {
    super(message, { ...options, kind: "auth" });
    this.status = options.status;
  }
}

/** An option has a value that cannot work. */
export class ClaudeConfigError extends SkeinError {
  override readonly name = "ClaudeConfigError";
  /** The option, as the caller writes it. */
  readonly option: string | undefined;

  constructor(message: string, options: With<{ option: string }> = {}) {
    super(message, { ...options, kind: "config" });
    this.option = options.option;
  }
}

/** The model does not exist or is not open to this account. */
export class InvalidModelError extends SkeinError {
  override readonly name = "InvalidModelError";
  /** The model that was asked for. */
  readonly model: string | undefined;

  constructor(message: string, options: With<{ model: string }> = {}) {
    super(message, { ...options, kind: "invalid_model" });
    this.model = options.model;
  }
}

/** The API asked to slow down. */
export class RateLimitError extends SkeinError {
  override readonly name = "RateLimitError";
  /** The HTTP status of the refusal. */
  readonly status: number | undefined;
  /** How long the API asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: With<{ status: number; retryAfterMs: number }> = {}) {
    super(message, { retryable: true, ...options, kind: "rate_limit" });
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The account may not spend more: billing, credit or plan limit. */
export class QuotaExceededError extends SkeinError {
  override readonly name = "QuotaExceededError";
  /** The HTTP status of the refusal, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, options: With<{ status: number }> = {}) {
    super(message, { ...options, kind: "quota" });
    this.status = options.status;
  }
}

/** The API answered with an error that no other class stands for. */
export class ApiError extends SkeinError {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: With<{ kind: "server" | "overloaded" | "invalid_request"; status: number }> = {},
  ) {
    super(message, { ...options, kind: options.kind ?? "server" });
    this.status = options.status;
  }
}

/** The API could not be reached, or the connection broke. */
export class NetworkError extends SkeinError {
  override readonly name = "NetworkError";
  /** The system's error code, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(message: string, options: With<{ code: string }> = {}) {
    super(message, { retryable: true, ...options, kind: "network" });
    this.code = options.code;
  }
}

/** Which limit was passed. */
export type TimeoutReason = "turn" | "idle" | "deadline";

/** A turn took longer than it was given. */
export class ClaudeTimeoutError extends SkeinError {
  override readonly name = "ClaudeTimeoutError";
  /** The limit that was passed. */
  readonly timeoutMs: number | undefined;
  readonly reason: TimeoutReason | undefined;

  constructor(message: string, options: With<{ timeoutMs: number; reason: TimeoutReason }> = {}) {
    super(message, { retryable: true, ...options, kind: "timeout" });
    this.timeoutMs = options.timeoutMs;
    this.reason = options.reason;
  }
}

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
    options: With<{ exitCode: number; signal: string; stderrTail: string; command: string }> = {},
  ) {
    super(message, { ...options, kind: "process" });
    this.exitCode = options.exitCode;
    this.signal = options.signal;
    this.stderrTail = options.stderrTail;
    this.command = options.command;
  }
}

/** The machine ran out of something: memory, disk, processes, file handles. */
export class ResourceExhaustionError extends SkeinError {
  override readonly name = "ResourceExhaustionError";
  /** What ran out. */
  readonly resource: string | undefined;
  /** What held the limit: `cgroup-v1`, `cgroup-v2` or `samples` for memory. */
  readonly limitedBy: string | undefined;

  constructor(message: string, options: With<{ resource: string; limitedBy: string }> = {}) {
    super(message, { retryable: true, ...options, kind: "resource_exhausted" });
    this.resource = options.resource;
    this.limitedBy = options.limitedBy;
  }
}

/** A session cannot be loaded or gone on with. */
export class SessionCorruptedError extends SkeinError {
  override readonly name = "SessionCorruptedError";
  /** The session that was asked for. */
  readonly sessionId: string | undefined;

  constructor(message: string, options: With<{ sessionId: string }> = {}) {
    super(message, { ...options, kind: "session_corrupted" });
    this.sessionId = options.sessionId;
  }
}

const CLASSES: Readonly<Record<string, new (message: string, options: never) => SkeinError>> = {
  ClaudeNotFoundError,
  ClaudeAuthError,
  ClaudeConfigError,
  InvalidModelError,
  RateLimitError,
  QuotaExceededError,
  ApiError,
  NetworkError,
  ClaudeTimeoutError,
  ProcessError,
  ResourceExhaustionError,
  SessionCorruptedError,
};

/** The error that a record was made from: of its class where that is one of these, with all of its fields and further details. */
export function errorFromRecord(record: ErrorRecord, details: Readonly<Record<string, unknown>> = {}): SkeinError {
  const Class = ownValue(CLASSES, record.name) ?? SkeinError;
  return Object.assign(new Class(record.message, { ...record, details } as never), record);
}
