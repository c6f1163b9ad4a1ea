import { SkeinError, type ErrorRecord } from "../../core/index.ts";
import { detectSandbox, sandboxRemedy, turnSandbox, type SandboxRemedy } from "../../isolation/index.ts";
import type { ClaudeOptions, PermissionMode } from "../../engine/index.ts";
import { askPermission, type AskOptions } from "./ask-permission.ts";

/** What the agent may do, as options of the turn, and what the person should know about it. */
export interface TurnPermissions {
  readonly options: ClaudeOptions;
  readonly notice?: string;
  /** The error of a turn that came to nothing because no command could be confined, where nobody could be asked instead. */
  readonly unconfined?: ErrorRecord;
}

/**
 * What the agent may do without being asked. By default: edit files in its directory, and run Bash in the sandbox,
 * without network. The rest is asked for where somebody can answer, and denied elsewhere.
 */
export async function turnPermissions(
  mode: PermissionMode,
  asking: Omit<AskOptions, "isSandboxed">,
): Promise<TurnPermissions> {
  const { context } = asking;
  // Nobody can answer the agent's own questions, which come as a tool.
  const common: ClaudeOptions = { permissionMode: mode, disallowedTools: ["AskUserQuestion"] };
  if (mode === "bypassPermissions") return { options: common };
  const trouble = sandboxRemedy(await detectSandbox({ path: context.env["PATH"] }));
  const canAsk = context.format === "text" && context.terminal.canAsk;
  const options = { ...common, ...(canAsk ? { canUseTool: askPermission({ ...asking, isSandboxed: !trouble }) } : {}) };
  if (trouble) {
    const notice = `Bash commands need permission, because there is no sandbox: ${trouble.remedy}.`;
    return { options, notice, ...(canAsk ? {} : { unconfined: unconfinedError(trouble) }) };
  }
  return { options: { ...options, sandbox: turnSandbox(mode) } };
}

function unconfinedError({ reason, remedy }: SandboxRemedy): ErrorRecord {
  return new SkeinError(`Every call was denied or failed, and Bash could not be sandboxed: ${reason}`, {
    kind: "config",
    target: "sandbox",
    hint: `To get a sandbox, ${remedy}; or allow commands by name with --allowed-tools`,
  }).toJSON();
}
