import type { SDKAssistantMessage, SDKMessage, SDKResultError, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import {
  ApiError,
  ClaudeAuthError,
  ClaudeConfigError,
  InvalidModelError,
  NetworkError,
  ProcessError,
  QuotaExceededError,
  RateLimitError,
  SessionCorruptedError,
  SkeinError,
} from "../../core/internal.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import type { CliSession } from "../start-up/cli-session.ts";

export const RESPONSES_HINT = "Raise `maxResponses`, or resume the session to continue.";

export interface TurnContext {
  readonly failure?: AssistantFailure | undefined;
  readonly resume?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** What a failed turn is, by the SDK's fields: its status, the assistant message's error, the terminal reason. */
export function errorFromResult(
  result: SDKResultMessage,
  { failure, resume, retryAfterMs }: TurnContext = {},
): SkeinError | undefined {
  if (!result.is_error) return undefined;
  const message = messageOf(result);
  const status = ("api_error_status" in result ? result.api_error_status : undefined) ?? failure?.status;
  return (
    errorFromStatus(message, { ...failure, status, retryAfterMs }) ??
    errorFromReason(result, message) ??
    errorFromStart(result, message, resume) ??
    (failure && errorFromWord(message, failure)) ??
    new SkeinError(message, { kind: "runtime" })
  );
}

/** The error that an assistant message stands for; undefined for one that is an answer. `errorType` is the API's word, where it is known. */
export function errorFromAssistant(message: SDKAssistantMessage, errorType?: string): SkeinError | undefined {
  const failure = readFailure(message, errorType);
  if (!failure) return undefined;
  const texts = message.message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.join("\n") || failure.word;
  return errorFromStatus(text, failure) ?? errorFromWord(text, failure);
}

type Refusal = Partial<Pick<AssistantFailure, "word" | "status"> & Pick<TurnContext, "retryAfterMs">>;

function errorFromStatus(message: string, { status, word, retryAfterMs }: Refusal): SkeinError | undefined {
  if (status === undefined) return undefined;
  if (status === 429) return new RateLimitError(message, { status, retryAfterMs });
  if (word !== undefined && word !== "unknown" && word !== "server_error") {
    return errorFromWord(message, { word, status, isConnection: false });
  }
  if (status === 401 || status === 403) return refusedCredentials(message, status);
  if (status === 402) return new QuotaExceededError(message, { status });
  if (status === 529) return new ApiError(message, { kind: "overloaded", status, retryable: true });
  if (status >= 500) return new ApiError(message, { status, retryable: true });
  return new ApiError(message, { kind: "invalid_request", status });
}

function errorFromReason(result: SDKResultMessage, message: string): SkeinError | undefined {
  switch (result.terminal_reason) {
    case "max_turns":
      return new SkeinError(message, { kind: "budget", target: "maxResponses", hint: RESPONSES_HINT });
    case "budget_exhausted":
      return new SkeinError(message, {
        kind: "budget",
        hint: "Raise `maxCostUsd`, or resume the session to continue.",
      });
    case "structured_output_retry_exhausted":
      return new SkeinError(message, { kind: "parse", hint: "The model never gave an answer in the requested shape." });
    case "aborted_streaming":
    case "aborted_tools":
      return new SkeinError("The turn was interrupted", { kind: "cancelled", hint: "The session can be resumed." });
    case "prompt_too_long":
    case "image_error":
      return new ApiError(message, { kind: "invalid_request" });
    default:
      return undefined;
  }
}

/** A turn that never began: the CLI names the reason, except for a session that it does not have. */
function errorFromStart(result: SDKResultMessage, message: string, resume: string | undefined): SkeinError | undefined {
  if ("startup_failure_reason" in result && result.startup_failure_reason) {
    const reason = result.startup_failure_reason;
    if (SIGN_IN.has(reason)) return new ClaudeAuthError(message, { target: reason });
    return new ClaudeConfigError(message, { target: reason, retryable: PASSING.has(reason) });
  }
  const neverBegan = result.subtype === "error_during_execution" && result.num_turns === 0 && !result.terminal_reason;
  if (!neverBegan || resume === undefined) return undefined;
  const hint = "Check the id, the working directory and the configuration folder; a session belongs to both.";
  return new SessionCorruptedError(message, { sessionId: resume, target: resume, hint });
}

function errorFromWord(message: string, { word, status, isConnection }: AssistantFailure): SkeinError {
  switch (word) {
    case "authentication_failed":
    case "oauth_org_not_allowed":
    case "cloud_credential_error":
    case "verification_required":
      return refusedCredentials(message, status);
    case "billing_error":
    case "account_on_hold":
      return new QuotaExceededError(message, { status });
    case "rate_limit":
      return new RateLimitError(message, { status });
    case "overloaded":
      return new ApiError(message, { kind: "overloaded", status, retryable: true });
    case "model_not_found":
      return new InvalidModelError(message, { hint: "Choose a model that this account may use." });
    case "invalid_request":
    case "max_output_tokens":
      return new ApiError(message, { kind: "invalid_request", status });
    case "server_error":
      return isConnection ? new NetworkError(message) : new ApiError(message, { status, retryable: true });
    case "unknown":
      return new NetworkError(message);
    default:
      return new ClaudeConfigError(message);
  }
}

function refusedCredentials(message: string, status: number | undefined): ClaudeAuthError {
  return new ClaudeAuthError(message, { status, hint: "Check the credentials; `skein doctor` says which are used." });
}

function messageOf(result: SDKResultMessage): string {
  if ("result" in result && result.result) return result.result;
  if ("errors" in result && result.errors.length > 0) return result.errors.join("\n");
  return `The turn ended with ${result.subtype}`;
}

export interface AssistantFailure {
  readonly word: NonNullable<SDKAssistantMessage["error"]>;
  /** The HTTP status that it came with, or that the API gives such an error in a stream. */
  readonly status?: number | undefined;
  /** Whether the connection was lost. The SDK has the word `server_error` for that too. */
  readonly isConnection: boolean;
}

/** Fields of such a message that the SDK's types leave out. */
const FIELDS = z.object({
  /** What the connection came to, where it failed. */
  api_error: z.string().optional().catch(undefined),
  api_error_status: z.number().optional().catch(undefined),
  /** The API's own word. */
  api_error_type: z.string().optional().catch(undefined),
});

const STATUS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** Undefined for a message that is an answer. `errorType` is the API's word, where it is known from elsewhere. */
export function readFailure(message: SDKAssistantMessage, errorType?: string): AssistantFailure | undefined {
  if (message.error === undefined) return undefined;
  const { api_error: connection, api_error_status: status, api_error_type: told } = FIELDS.parse(message);
  const type = told ?? errorType;
  return {
    word: message.error,
    status: status ?? (type === undefined ? undefined : STATUS_BY_TYPE.get(type)),
    isConnection: connection !== undefined,
  };
}

type StartupFailureReason = NonNullable<SDKResultError["startup_failure_reason"]>;

/** The CLI wants another sign-in, or more rights for this one. */
const SIGN_IN: ReadonlySet<StartupFailureReason> = new Set([
  "org_pin_mismatch",
  "gateway_signin_required",
  "gateway_access_denied",
  "org_config_refused",
]);

/** Something that the CLI has to ask for first could not be had now. */
const PASSING: ReadonlySet<StartupFailureReason> = new Set([
  "org_verify_failed",
  "remote_settings_required_unavailable",
  "org_config_required_unavailable",
  "worktree_unverified",
]);

/** The CLI's own variable for how often it tries again; who sets it has asked for just that. */
const RETRIES_VARIABLE = "CLAUDE_CODE_MAX_RETRIES";

/**
 * The error of a refusal that is known by now: refused credentials, a rate limit. The CLI would try again for minutes before it tells. A login may
 * have run out, which the CLI renews after the first refusal; so credentials are refused at the second.
 */
export function findRefusal(message: SDKMessage, env: EnvVariables = {}): SkeinError | undefined {
  if (message.type !== "system" || message.subtype !== "api_retry") return undefined;
  if (env[RETRIES_VARIABLE] !== undefined) return undefined;
  const { error_status: status, attempt, retry_delay_ms: retryAfterMs } = message;
  if (status === 429) {
    const hint = `Wait and resume the session; a resilience policy or ${RETRIES_VARIABLE} retries for you.`;
    return new RateLimitError("The API refused the request: too many requests (429)", { status, retryAfterMs, hint });
  }
  return status === 401 && attempt > 1
    ? refusedCredentials("The API refused the credentials (401)", status)
    : undefined;
}

/** A CLI as far as its end is concerned: until it has answered, it reads its flags and its configuration. */
export type EndedCli = Pick<CliSession, "process" | "hasAnswered">;

/** The error of a CLI that ended without a result, with all that is known of its end. */
export function toProcessError(thrown: unknown, cli: EndedCli, sessionId?: string): SkeinError {
  const { exitCode = null, signalCode = null, spawnfile } = cli.process?.child ?? {};
  const stderrTail = cli.process?.stderrTail() || undefined;
  // The CLI tells what it refuses by one exit code for all, and what only prints something ends well. Crashes have others.
  if (!cli.hasAnswered && (exitCode === 0 || exitCode === 1)) return refusedStart(stderrTail, thrown);
  return new ProcessError(thrown instanceof Error ? thrown.message : "The CLI ended without a result", {
    exitCode: exitCode ?? undefined,
    signal: signalCode ?? undefined,
    stderrTail,
    command: spawnfile,
    retryable: true,
    hint: sessionId ? "The session can be resumed." : undefined,
    cause: thrown,
  });
}

function refusedStart(stderr: string | undefined, cause: unknown): ClaudeConfigError {
  const message = stderr ? `The CLI refused to start: ${stderr}` : "The CLI ended before it took a prompt";
  const hint = "Check `extraArgs` and the other options that become flags; `claude --help` lists what it takes.";
  return new ClaudeConfigError(message, { hint, cause });
}
