import {
  refuseBeyondSession,
  refuseCalls,
  refuseStartUpFiles,
  refuseWorktrees,
  type ClaudeOptions,
} from "../../engine/index.ts";
import { REFUSED_TOOLS, refuseUnknownTools } from "./known-tools.ts";
import { refuseHosts, toolsWithoutNetwork } from "./refuse-hosts.ts";
import type { SandboxPlan } from "./sandbox-settings.ts";

/** Holds the tools that the CLI runs outside of the sandbox, by a hook that is asked before every call, those of subagents too. */
export function guardTools({
  config: { networkPolicy },
  home,
  writable,
}: Pick<SandboxPlan, "config" | "home" | "writable">): Pick<ClaudeOptions, "disallowedTools" | "hooks"> {
  return {
    disallowedTools: [...REFUSED_TOOLS, ...toolsWithoutNetwork(networkPolicy)],
    hooks: refuseCalls([
      refuseUnknownTools,
      refuseWorktrees,
      refuseBeyondSession,
      refuseHosts(networkPolicy),
      refuseStartUpFiles({ roots: writable, home: home.home }),
    ]),
  };
}
