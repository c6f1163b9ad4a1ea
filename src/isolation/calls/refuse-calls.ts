import type { HookCallbackMatcher } from "@anthropic-ai/claude-agent-sdk";
import type { ClaudeOptions } from "../../engine/internal.ts";

type Hooks = NonNullable<ClaudeOptions["hooks"]>;

/** A call of a tool before it runs, by the agent or by one of its subagents. */
export interface ToolCallRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Where the agent is at this moment. */
  readonly cwd: string;
}

/** Tells why a call is refused; nothing where it may go on to the permission rules. */
export type CallCheck = (call: ToolCallRequest) => Promise<string | undefined> | string | undefined;

/** A hook that is late is passed over by the CLI, and the call runs: this one is waited for. */
const TIMEOUT_S = 24 * 60 * 60;

/** Hooks that refuse what a check refuses, in every permission mode and inside of subagents. A check that fails refuses too. */
export function refuseCalls(checks: readonly CallCheck[]): Hooks {
  const hook: HookCallbackMatcher["hooks"][number] = async (given) => {
    const { tool_name: tool, tool_input: input, cwd } = given as Readonly<Record<string, unknown>>;
    if (typeof tool !== "string" || typeof cwd !== "string") return deny("This call cannot be read.");
    const call = { tool, input: isRecord(input) ? input : {}, cwd };
    try {
      for (const check of checks) {
        const reason = await check(call);
        if (reason !== undefined) return deny(reason);
      }
      return {};
    } catch (error) {
      return deny(`${tool} could not be checked: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return { PreToolUse: [{ timeout: TIMEOUT_S, hooks: [hook] }] };
}

/** The hooks of both, the first ones asked first. */
export function mergeHooks(first: Hooks, second: Hooks = {}): Hooks {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof Hooks>;
  return Object.fromEntries([...names].map((name) => [name, [...(first[name] ?? []), ...(second[name] ?? [])]]));
}

function deny(permissionDecisionReason: string): object {
  return {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
