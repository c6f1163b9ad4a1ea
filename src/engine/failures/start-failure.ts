import type { SDKResultError } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeAuthError, ClaudeConfigError, type SkeinError } from "../../core/index.ts";

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

/** The error of a CLI that said why it does not start. */
export function errorFromStartupFailure(reason: StartupFailureReason, message: string): SkeinError {
  if (SIGN_IN.has(reason)) return new ClaudeAuthError(message, { target: reason });
  return new ClaudeConfigError(message, { target: reason, retryable: PASSING.has(reason) });
}
