import { SkeinError, type ErrorRecord } from "../../core/internal.ts";
import type { ClaudeOptions, PermissionMode } from "../../engine/internal.ts";
import {
  confineTurn,
  detectSandbox,
  isolate,
  IsolationConfig,
  sandboxRemedy,
  turnSandbox,
  type SandboxRemedy,
} from "../../isolation/internal.ts";
import { agentOptions, type AgentFlags } from "./agent-flags.ts";
import { askPermission, type AskOptions } from "./ask-permission.ts";
import type { EventSinks } from "./run-turn.ts";

/** How an agent is run: the options of its turns, what the person should know, and what is cleared away after them. */
interface OpenAgent extends AsyncDisposable {
  readonly options: ClaudeOptions;
  readonly told: Omit<TurnPermissions, "options">;
}

interface AgentPlace extends Omit<AskOptions, "isSandboxed"> {
  readonly env: NonNullable<ClaudeOptions["env"]>;
}

/** Makes ready to run an agent: in isolation where the caller is confined so, otherwise by what the flags allow. */
export async function openAgent(given: AgentFlags, place: AgentPlace): Promise<OpenAgent> {
  const { env, ...asking } = place;
  if (asking.context.confinement?.isolates) return await openIsolated(given, place);
  const { options: allowed, ...told } = await turnPermissions(given.permissionMode, asking);
  const { reveal, allowWorktrees } = given;
  const { context, cwd } = asking;
  const wanted = { ...agentOptions(given, allowed), env };
  const options = await confineTurn(wanted, { hostEnv: context.env, cwd, reveal, allowWorktrees });
  return { told, options, [Symbol.asyncDispose]: async () => {} };
}

/** The permission mode is fixed: edits below the directory and sandboxed commands; nobody is asked for more. */
async function openIsolated(given: AgentFlags, { context, cwd, env }: AgentPlace): Promise<OpenAgent> {
  const fixed = { permissionMode: "acceptEdits" as const, disallowedTools: ["AskUserQuestion"] };
  const wanted = { ...agentOptions({ ...given, allowedTools: [] }, fixed), cwd, env };
  const isolation = await isolate(IsolationConfig(), wanted, { hostEnv: context.env });
  return { told: {}, options: isolation.options, [Symbol.asyncDispose]: isolation[Symbol.asyncDispose] };
}

interface TurnPermissions extends Pick<EventSinks, "notice" | "unconfined"> {
  readonly options: ClaudeOptions;
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
