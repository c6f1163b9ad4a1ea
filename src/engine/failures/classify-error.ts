import type { SDKAssistantMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  ApiError,
  ClaudeAuthError,
  ClaudeConfigError,
  InvalidModelError,
  NetworkError,
  QuotaExceededError,
  RateLimitError,
  SessionCorruptedError,
  SkeinError,
} from "../../core/index.ts";
import { readFailure, type AssistantFailure } from "./assistant-failure.ts";
import { errorFromStartupFailure } from "./start-failure.ts";
import { RESPONSES_HINT } from "../turns/response-limit.ts";

/** What is known of a turn beside its result. */
export interface TurnContext {
  /** What the last assistant message says of the failure, where it is about one. */
  readonly failure?: AssistantFailure | undefined;
  /** The session that was to go on. */
  readonly resume?: string | undefined;
  /** How long the API last asked to wait. */
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
    errorFromStatus(message, { status, word: failure?.word, retryAfterMs }) ??
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

/** What is known of a refusal, whoever told it. */
interface Refusal {
  readonly status?: number | undefined;
  readonly word?: AssistantFailure["word"] | undefined;
  readonly retryAfterMs?: number | undefined;
}

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
        hint: "Raise maxCostUsd, or resume the session to continue.",
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
    return errorFromStartupFailure(result.startup_failure_reason, message);
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
