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
  "plan_invalid",
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

type DetailsOf<E> = Readonly<Omit<E, keyof SkeinError>> & Readonly<Record<string, unknown>>;

/** What every error of Skein's has, whichever copy of this module made it. */
const MARK = Symbol.for("skein:error");

/** The root of every error that Skein throws. Branch on `kind`. */
export class SkeinError extends Error {
  /**
   * Another copy's error is one of this class too, told by the names of its classes: the command is a bundle, and what a plugin throws is of the
   * `skein` that it imports.
   */
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, thrown)) return true;
    if (!(thrown instanceof Error && MARK in thrown)) return false;
    return this === SkeinError || thrown.name === this.name || classNames(thrown).includes(this.name);
  }

  static {
    Object.defineProperty(this.prototype, MARK, { value: true });
  }

  override readonly name: string = "SkeinError";
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly target: string | undefined;
  readonly #details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: SkeinErrorOptions & { readonly kind: ErrorKind }) {
    const { kind, retryable = false, hint, target, cause, details = {}, ...fields } = options;
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.retryable = isRetryable({ kind, retryable, reason: (fields as { readonly reason?: unknown }).reason });
    this.hint = hint;
    this.target = target;
    this.#details = details;
    Object.assign(this, fields);
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

function classNames(thrown: object): readonly string[] {
  const above: unknown = Object.getPrototypeOf(thrown);
  return above instanceof Error ? [above.constructor.name, ...classNames(above)] : [];
}

const COMMON_FIELDS: ReadonlySet<string> = new Set(["name", "kind", "message", "retryable", "hint", "target", "cause"]);

/**
 * Whether the same turn or command may succeed if it is tried again. This decides what an error says of itself, and what the engine tries again. What was
 * cancelled is meant, and so is a limit on time that the caller set; of the limits, silence alone is the endpoint's.
 */
export function isRetryable(error: Pick<ErrorRecord, "kind" | "retryable"> & { readonly reason?: unknown }): boolean {
  return error.retryable && error.kind !== "cancelled" && !isOwnTimeLimit(error);
}

/** Whether a turn passed a limit on time that its caller set. */
export function isOwnTimeLimit({ kind, reason }: { readonly kind: ErrorKind; readonly reason?: unknown }): boolean {
  return kind === "timeout" && (reason === "turn" || reason === "deadline");
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

/** What any thrown value says. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === "string" ? thrown : inspect(thrown);
}

/** A class of errors that tell more than every error does: fields that are among their options, as far as they are known. */
function errorClass<Fields>(name: string, defaults: { readonly kind: ErrorKind; readonly retryable?: boolean }) {
  type Known = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };
  const Class = class extends SkeinError {
    override readonly name = name;

    constructor(message: string, options?: SkeinErrorOptions) {
      super(message, { ...defaults, ...options });
    }
  };
  return Class as unknown as new (message: string, options?: SkeinErrorOptions & Known) => SkeinError & Known;
}

/** The Claude Code CLI is not where it was looked for, or is not the CLI. */
export class ClaudeNotFoundError extends errorClass<{ cliPath: string }>("ClaudeNotFoundError", {
  kind: "cli_not_found",
}) {}

/** No credentials were found, or the API refused them. */
export class ClaudeAuthError extends errorClass<{ status: number }>("ClaudeAuthError", { kind: "auth" }) {}

/** An option has a value that cannot work. */
export class ClaudeConfigError extends errorClass<{ option: string }>("ClaudeConfigError", { kind: "config" }) {}

/** The model does not exist or is not open to this account. */
export class InvalidModelError extends errorClass<{ model: string }>("InvalidModelError", { kind: "invalid_model" }) {}

/** The API asked to slow down. */
export class RateLimitError extends errorClass<{
  status: number;
  /** How long the API asked to wait. */
  retryAfterMs: number;
}>("RateLimitError", { kind: "rate_limit", retryable: true }) {}

/** The account may not spend more: billing, credit or plan limit. */
export class QuotaExceededError extends errorClass<{ status: number }>("QuotaExceededError", { kind: "quota" }) {}

/** The API answered with an error that no other class stands for. */
export class ApiError extends errorClass<{
  kind: "server" | "overloaded" | "invalid_request";
  status: number;
}>("ApiError", { kind: "server" }) {}

/** The API could not be reached, or the connection broke. */
export class NetworkError extends errorClass<{
  /** The system's error code, such as ECONNREFUSED. */
  code: string;
}>("NetworkError", { kind: "network", retryable: true }) {}

/** A turn took longer than it was given. */
export class ClaudeTimeoutError extends errorClass<{
  timeoutMs: number;
  /** Which limit was passed. */
  reason: "turn" | "idle" | "deadline";
  /** What the API was answering when the time was up, and how often it had, where it answered nothing else. */
  apiStatus: number;
  apiRefusals: number;
}>("ClaudeTimeoutError", { kind: "timeout", retryable: true }) {}

/** The CLI process failed: it could not be started, or ended in a way it should not. */
export class ProcessError extends errorClass<{
  /** Where the process ended by itself. */
  exitCode: number;
  signal: string;
  /** The last lines it wrote to standard error. */
  stderrTail: string;
  /** What was run. */
  command: string;
}>("ProcessError", { kind: "process" }) {}

/** The machine ran out of something: memory, disk, processes, file handles. */
export class ResourceExhaustionError extends errorClass<{
  resource: string;
  /** What held the limit: `cgroup-v1`, `cgroup-v2` or `samples` for memory. */
  limitedBy: string;
}>("ResourceExhaustionError", { kind: "resource_exhausted", retryable: true }) {}

/** A session cannot be loaded or gone on with. */
export class SessionCorruptedError extends errorClass<{ sessionId: string }>("SessionCorruptedError", {
  kind: "session_corrupted",
}) {}

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
