import type { ClaudeOptions } from "../../engine/index.ts";
import { confineTurn, isolate, IsolationConfig } from "../../isolation/index.ts";
import type { AskOptions } from "./ask-permission.ts";
import { agentOptions, type AgentFlags } from "./agent-flags.ts";
import { turnPermissions, type TurnPermissions } from "./turn-permissions.ts";

/** How an agent is run: the options of its turns, what the person should know, and what is cleared away after them. */
export interface OpenAgent extends AsyncDisposable {
  readonly options: ClaudeOptions;
  readonly told: Omit<TurnPermissions, "options">;
}

/** Where an agent works, and what it is run with. */
export interface AgentPlace extends Omit<AskOptions, "isSandboxed"> {
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
