import type { CanUseTool, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeConfigError, defined, systemClock, type Clock } from "../../core/internal.ts";
import type { PermissionDecision, PermissionPolicy, PermissionRequest } from "./permission-policy.ts";

export interface CanUseToolOptions {
  /** How long the policy may take before the call is denied; one minute by default, `Infinity` for no limit. */
  readonly timeoutMs?: number;
  /** What becomes of a call that the policy has no opinion about; `deny` by default. */
  readonly fallback?: "allow" | "deny";
  readonly clock?: Clock;
  /** Told of every answer; what it throws is ignored. */
  readonly onDecision?: (request: PermissionRequest, answer: PermissionAnswer) => void;
}

/** An answer that was given, and what it rests on. */
export interface PermissionAnswer {
  readonly decision: Exclude<PermissionDecision, { type: "pass" }>;
  readonly by: "policy" | "fallback" | "timeout" | "error" | "abort";
  readonly durationMs: number;
}

export interface PendingPermission {
  readonly request: PermissionRequest;
  readonly askedAtMs: number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Makes a policy answer the CLI: every call on its own, in any order, and with a deny when in doubt. `pending` tells which requests wait
 * for an answer now, oldest first.
 */
export function toCanUseTool(
  policy: PermissionPolicy,
  options: CanUseToolOptions = {},
): CanUseTool & { pending(): readonly PendingPermission[] } {
  const { timeoutMs = 60_000, fallback = "deny", clock = systemClock, onDecision } = options;
  if (!(timeoutMs > 0)) throw new ClaudeConfigError("timeoutMs must be more than 0", { option: "timeoutMs" });
  const open = new Set<PendingPermission>();

  const canUseTool: CanUseTool = async (tool, input, context) => {
    const finished = new AbortController();
    const { toolUseID: toolUseId, agentID: agentId, decisionReason: reason } = context;
    const { blockedPath, mcpServer, suggestions } = context;
    const signal = AbortSignal.any([context.signal, finished.signal]);
    const told = defined({ agentId, reason, blockedPath, mcpServer, suggestions });
    const request: PermissionRequest = { tool, input, toolUseId, signal, ...told };
    const pending = { request, askedAtMs: clock.now() };
    open.add(pending);
    try {
      const answer = await Promise.race([
        judge(policy, request, fallback),
        timeUp(timeoutMs, clock, finished.signal),
        aborted(context.signal, finished.signal),
      ]);
      try {
        onDecision?.(request, { ...answer, durationMs: clock.now() - pending.askedAtMs });
      } catch {
        // Whoever only listens does not decide.
      }
      return toResult(answer.decision, input);
    } finally {
      open.delete(pending);
      finished.abort();
    }
  };
  return Object.assign(canUseTool, { pending: () => [...open] });
}

type Answer = Omit<PermissionAnswer, "durationMs">;

async function judge(
  policy: PermissionPolicy,
  request: PermissionRequest,
  fallback: "allow" | "deny",
): Promise<Answer> {
  try {
    const decision = await policy(request);
    if (decision.type !== "pass") return { decision, by: "policy" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${request.tool} was denied, because its permission policy failed: ${reason}`;
    return { decision: deny(message), by: "error" };
  }
  if (fallback === "allow") return { decision: { type: "allow" }, by: "fallback" };
  return { decision: deny(`${request.tool} was denied: no permission policy allows this call.`), by: "fallback" };
}

async function timeUp(timeoutMs: number, clock: Clock, finished: AbortSignal): Promise<Answer> {
  if (timeoutMs > LONGEST_TIMER_MS) return await new Promise(() => {});
  try {
    await clock.sleep(timeoutMs, finished);
  } catch {
    // Somebody else was faster: the race is over, and this answer goes nowhere.
  }
  return { decision: deny(`Denied, because nobody answered within ${timeoutMs} ms.`), by: "timeout" };
}

function aborted(signal: AbortSignal, finished: AbortSignal): Promise<Answer> {
  const answer: Answer = { decision: deny("Denied, because the turn was cancelled."), by: "abort" };
  return new Promise((resolve) => {
    if (signal.aborted) resolve(answer);
    else signal.addEventListener("abort", () => resolve(answer), { signal: finished });
  });
}

function deny(message: string): Answer["decision"] {
  return { type: "deny", message };
}

function toResult(decision: Answer["decision"], input: Record<string, unknown>): PermissionResult {
  if (decision.type === "deny") {
    const { message, interrupt } = decision;
    return { behavior: "deny", message, ...defined({ interrupt }) };
  }
  const updatedInput = { ...(decision.input ?? input) };
  return { behavior: "allow", updatedInput, ...defined({ updatedPermissions: decision.updates?.slice() }) };
}
