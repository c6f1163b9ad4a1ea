import { allowsHost, isUnrestricted, type NetworkPolicy } from "../../workspace/index.ts";
import type { ClaudeOptions } from "../../engine/index.ts";

/**
 * Holds the CLI's own web tools to the policy: they run outside of the sandbox. Without a network they are not offered; with a list of
 * domains a page is fetched only from one of them, and the search, which goes where it likes, is not offered.
 */
export function guardWebTools(policy: NetworkPolicy): Pick<ClaudeOptions, "disallowedTools" | "hooks"> {
  if (isUnrestricted(policy)) return {};
  if (policy.allowedDomains.length === 0) return { disallowedTools: ["WebFetch", "WebSearch"] };
  const guard = async (input: unknown): Promise<object> => {
    const host = hostOf((input as { readonly tool_input?: { readonly url?: unknown } }).tool_input?.url);
    if (host !== undefined && allowsHost(policy, host)) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: `${host ?? "This address"} is not among the allowed domains.`,
      },
    };
  };
  return { disallowedTools: ["WebSearch"], hooks: { PreToolUse: [{ matcher: "WebFetch", hooks: [guard] }] } };
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : undefined;
}
