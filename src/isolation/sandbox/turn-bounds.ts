import type { ClaudeOptions, PermissionMode } from "../../engine/internal.ts";
import type { NetworkPolicy } from "../network-policy.ts";
import { detectSandbox, sandboxRemedy, type SandboxRemedy } from "./detect-sandbox.ts";
import { turnSandbox } from "./sandbox-settings.ts";

interface TurnBounds {
  readonly options: ClaudeOptions;
  /** Why commands are not in a sandbox, so that each needs permission. */
  readonly trouble?: SandboxRemedy;
}

interface BoundsRequest {
  /** Where the sandbox's programs are looked for. */
  readonly path: string | undefined;
  /** What commands may reach; nothing by default. */
  readonly network?: NetworkPolicy | undefined;
}

/** What a turn among the user's own files may do without being asked. By default: edit files in its directory, and run Bash in the sandbox, without network. */
export async function turnBounds(mode: PermissionMode, { path, network }: BoundsRequest): Promise<TurnBounds> {
  // Nobody can answer the agent's own questions, which come as a tool.
  const common: ClaudeOptions = { permissionMode: mode, disallowedTools: ["AskUserQuestion"] };
  if (mode === "bypassPermissions") return { options: common };
  const trouble = sandboxRemedy(await detectSandbox({ path }));
  return trouble ? { options: common, trouble } : { options: { ...common, sandbox: turnSandbox(mode, network) } };
}
