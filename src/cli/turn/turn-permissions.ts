import { detectSandbox, type ClaudeOptions, type PermissionMode, type SandboxSupport } from "../../engine/index.ts";
import { askPermission, type AskOptions } from "./ask-permission.ts";

/** What the agent may do, as options of the turn, and what the person should know about it. */
export interface TurnPermissions {
  readonly options: ClaudeOptions;
  readonly notice?: string;
}

/**
 * What the agent may do without being asked. By default: edit files in its directory, and run Bash in the sandbox,
 * without network. The rest is asked for where somebody can answer, and denied elsewhere.
 */
export async function turnPermissions(mode: PermissionMode, asking: AskOptions): Promise<TurnPermissions> {
  const { context } = asking;
  // Nobody can answer the agent's own questions, which come as a tool.
  const common: ClaudeOptions = { permissionMode: mode, disallowedTools: ["AskUserQuestion"] };
  if (mode === "bypassPermissions") return { options: common };
  const sandbox = await detectSandbox(context.env["PATH"]);
  const canAsk = context.format === "text" && context.terminal.canAsk;
  const options = { ...common, ...(canAsk ? { canUseTool: askPermission(asking) } : {}) };
  if (!sandbox.available) return { options, notice: sandboxNotice(sandbox) };
  return { options: { ...options, sandbox: sandboxFor(mode) } };
}

function sandboxFor(mode: PermissionMode): NonNullable<ClaudeOptions["sandbox"]> {
  // The other modes promise to ask, to plan or to refuse, and a sandboxed command can still change files.
  return { enabled: true, autoAllowBashIfSandboxed: mode === "acceptEdits", network: { allowedDomains: [] } };
}

function sandboxNotice({ missing }: SandboxSupport): string {
  const remedy = missing.length === 0 ? "this system has none" : `install ${missing.join(" and ")}`;
  return `Bash commands need permission, because there is no sandbox: ${remedy}.`;
}
