import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError, type ErrorRecord } from "../../core/internal.ts";
import { CONFIG_FILE, type ClaudeOptions, type PermissionMode } from "../../engine/internal.ts";
import {
  closeFiles,
  confineTurn,
  isolate,
  IsolationConfig,
  turnBounds,
  type NetworkPolicy,
  type SandboxRemedy,
} from "../../isolation/internal.ts";
import type { OfflineModel } from "../../offline/internal.ts";
import { offlineInFolder } from "../../protocol/index.ts";
import type { CommandContext } from "../define-command.ts";
import { agentOptions, type AgentFlags } from "./agent-flags.ts";
import { askPermission, type AskOptions } from "./ask-permission.ts";
import type { EventSinks } from "./run-turn.ts";
import type { AgentSetup } from "./setup/read-setup.ts";

/** How an agent is run: the options of its turns, what the person should know, and what is cleared away after them. */
interface OpenAgent extends AsyncDisposable {
  readonly options: ClaudeOptions;
  readonly told: Omit<TurnPermissions, "options">;
}

export interface AgentPlace extends Omit<AskOptions, "isSandboxed"> {
  /** The offline model, where it is used instead of the API. */
  readonly model: OfflineModel | undefined;
  readonly setup: AgentSetup;
}

/** Makes ready to run an agent: in isolation where the caller is confined so or the person wants it, otherwise by what the flags allow. */
export async function openAgent(given: AgentFlags, place: AgentPlace): Promise<OpenAgent> {
  const { setup, ...asking } = place;
  if (isIsolated(place)) return await openIsolated(given, place);
  const { options: allowed, ...told } = await turnPermissions(given.permissionMode, asking, setup.network);
  const { allowWorktrees } = given;
  const { context, cwd } = asking;
  const wanted = { ...setup.options, ...agentOptions(given, allowed), ...agentVariables(place) };
  const reveal = [...given.reveal, ...setup.revealed];
  const confined = await confineTurn(wanted, { hostEnv: context.env, cwd, reveal, allowWorktrees });
  const options = await keepConfiguration(confined, cwd);
  return { told, options, [Symbol.asyncDispose]: async () => {} };
}

/** A workspace's configuration holds for the agent's next turn too: what it keeps the agent from is not the agent's to change. */
async function keepConfiguration(options: ClaudeOptions, cwd: string): Promise<ClaudeOptions> {
  const path = join(cwd, CONFIG_FILE);
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? closeFiles(options, { cwd, paths: [path] }) : options;
}

/** The variables of an agent. Those of the offline model come last, and before those that settings files set. */
export function agentVariables({
  setup,
  model,
  context,
}: Pick<AgentPlace, "setup" | "model" | "context">): Pick<ClaudeOptions, "env" | "settings"> {
  const own = setup.options.env;
  if (!model) return { env: { ...own } };
  if (!setup.settings) return { env: { ...own, ...model.env } };
  const { env, settings } = offlineInFolder(model, context.env);
  return { env: { ...own, ...env }, settings };
}

/** Whoever is confined by their caller is isolated, whatever they ask for. */
export function isIsolated({ context, setup }: Pick<AgentPlace, "context" | "setup">): boolean {
  return setup.isIsolated || context.confinement?.isolates === true;
}

async function openIsolated(given: AgentFlags, place: AgentPlace): Promise<OpenAgent> {
  const { context, cwd, setup } = place;
  const wanted = { ...isolatedOptions(given, place), cwd, ...agentVariables(place) };
  const isolation = await isolate(IsolationConfig({ networkPolicy: setup.network }), wanted, { hostEnv: context.env });
  const options = await keepConfiguration(isolation.options, cwd);
  return { told: {}, options, [Symbol.asyncDispose]: isolation[Symbol.asyncDispose] };
}

/**
 * What an isolated agent is given. For a model that calls, the permission mode is fixed: edits below the directory and sandboxed
 * commands; nobody is asked for more.
 */
export function isolatedOptions(given: AgentFlags, place: Omit<AgentPlace, "model">): ClaudeOptions {
  const { setup, context } = place;
  const common = { ...setup.options, disallowedTools: ["AskUserQuestion"] };
  if (context.confinement?.isolates) {
    return { ...agentOptions({ ...given, allowedTools: [] }, { ...common, permissionMode: "acceptEdits" }) };
  }
  const asks = canAsk(context) ? { canUseTool: askPermission({ ...place, isSandboxed: true }) } : {};
  return agentOptions(given, { ...common, permissionMode: given.permissionMode, ...asks });
}

function canAsk({ format, terminal }: CommandContext): boolean {
  return format === "text" && terminal.canAsk;
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
  network?: NetworkPolicy,
): Promise<TurnPermissions> {
  const { context } = asking;
  const { options: bounds, trouble } = await turnBounds(mode, { path: context.env["PATH"], network });
  if (mode === "bypassPermissions") return { options: bounds };
  const asks = canAsk(context);
  const options = { ...bounds, ...(asks ? { canUseTool: askPermission({ ...asking, isSandboxed: !trouble }) } : {}) };
  if (trouble) {
    const notice = `Bash commands need permission, because there is no sandbox: ${trouble.remedy}.`;
    return { options, notice, ...(asks ? {} : { unconfined: unconfinedError(trouble) }) };
  }
  return { options };
}

function unconfinedError({ reason, remedy }: SandboxRemedy): ErrorRecord {
  return new SkeinError(`Every call was denied or failed, and Bash could not be sandboxed: ${reason}`, {
    kind: "config",
    target: "sandbox",
    hint: `To get a sandbox, ${remedy}; or allow commands by name with \`allowedTools\``,
  }).toJSON();
}
