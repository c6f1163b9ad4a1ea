import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeAuthError, RateLimitError, type SkeinError } from "../../core/index.ts";
import type { Environment } from "../start-up/environment.ts";

/** The CLI's own variable for how often it tries again; who sets it has asked for just that. */
const RETRIES_VARIABLE = "CLAUDE_CODE_MAX_RETRIES";

/**
 * The error of a refusal that is known by now: refused credentials, a rate limit. The CLI would try again for minutes before it tells. A login may
 * have run out, which the CLI renews after the first refusal; so credentials are refused at the second.
 */
export function findRefusal(message: SDKMessage, environment: Environment = {}): SkeinError | undefined {
  if (message.type !== "system" || message.subtype !== "api_retry") return undefined;
  if (environment[RETRIES_VARIABLE] !== undefined) return undefined;
  const { error_status: status, attempt, retry_delay_ms: retryAfterMs } = message;
  if (status === 429) {
    const hint = `Wait and resume the session; createResilientEngine or ${RETRIES_VARIABLE} retries for you.`;
    return new RateLimitError("The API refused the request: too many requests (429)", { status, retryAfterMs, hint });
  }
  if (status === 401 && attempt > 1) {
    const hint = "Check the credentials; `skein doctor` says which are used.";
    return new ClaudeAuthError("The API refused the credentials (401)", { status, hint });
  }
  return undefined;
}
