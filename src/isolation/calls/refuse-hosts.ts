import type { CallCheck } from "./refuse-calls.ts";
import { allowsHost, isUnrestricted, type NetworkPolicy } from "../network-policy.ts";

/** The tools that go to the network by themselves, for not offering those that a policy leaves nothing to do. */
export function toolsWithoutNetwork(policy: NetworkPolicy): readonly string[] {
  if (isUnrestricted(policy)) return [];
  return policy.allowedDomains.length === 0 ? ["WebFetch", "WebSearch"] : ["WebSearch"];
}

/**
 * Holds the CLI's own connections to the policy, since they are made outside of the sandbox: pages and sockets come from the allowed
 * domains only, and the search, which goes where it likes, is refused.
 */
export function refuseHosts(policy: NetworkPolicy): CallCheck {
  return ({ tool, input }) => {
    if (isUnrestricted(policy)) return undefined;
    if (tool === "WebSearch") return "Web search is not among the allowed domains.";
    if (tool === "WebFetch") return refuseUrl(policy, input["url"]);
    // Anything but a command is a connection of the CLI itself.
    if (tool === "Monitor" && (input["ws"] !== undefined || typeof input["command"] !== "string")) {
      return refuseUrl(policy, (input["ws"] as { readonly url?: unknown } | null | undefined)?.url);
    }
    return undefined;
  };
}

function refuseUrl(policy: NetworkPolicy, url: unknown): string | undefined {
  const host = typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : undefined;
  if (host !== undefined && allowsHost(policy, host)) return undefined;
  return `${host ?? "This address"} is not among the allowed domains.`;
}
