import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError, type ErrorRecord } from "../../core/internal.ts";
import { askPeople, askRemotely, CONFIG_FILE, type ClaudeOptions, type PermissionMode } from "../../engine/internal.ts";
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
import { judgeCall } from "./question/show-call.ts";
import { createTerminalFace, type TerminalFaceOptions } from "./question/terminal-face.ts";
import type { EventSinks } from "./run-turn.ts";
import type { AskFlags } from "./setup/ask-flags.ts";
import type { AgentSetup } from "./setup/read-setup.ts";

/** How an agent is run: the options of its turns, what the person should know, and what is cleared away after them. */
interface OpenAgent extends AsyncDisposable {
  readonly options: ClaudeOptions;
  readonly told: Omit<TurnPermissions, "options">;
}

export interface AgentPlace extends Omit<TerminalFaceOptions, "isSandboxed"> {
  /** The offline model, where it is used instead of the API. */
  readonly model: OfflineModel | undefined;
  readonly setup: AgentSetup;
}

/** Makes ready to run an agent: in isolation where the caller is confined so or the person wants it, otherwise by what the flags allow. */
export async function openAgent(given: AgentFlags & AskFlags, place: AgentPlace): Promise<OpenAgent> {
  const { setup, ...asking } = place;
  if (isIsolated(place)) return await openIsolated(given, place);
  const { options: allowed, ...told } = await turnPermissions(
    given.permissionMode,
    { ...asking, ...given },
    setup.network,
  );
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

async function openIsolated(given: AgentFlags & AskFlags, place: AgentPlace): Promise<OpenAgent> {
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
export function isolatedOptions(given: AgentFlags & AskFlags, place: Omit<AgentPlace, "model">): ClaudeOptions {
  const { setup, context } = place;
  const unasked = { ...setup.options, disallowedTools: ["AskUserQuestion"] };
  if (context.confinement?.isolates) {
    return { ...agentOptions({ ...given, allowedTools: [] }, { ...unasked, permissionMode: "acceptEdits" }) };
  }
  const asks = personOptions({ ...place, ...given, isSandboxed: true });
  return agentOptions(given, { ...unasked, permissionMode: given.permissionMode, ...asks });
}

interface Asking extends TerminalFaceOptions, Partial<AskFlags> {}

/** Who decides about what the rules leave open; nothing where there is nobody. */
function personOptions({ ask, askTimeout, ...place }: Asking): Pick<ClaudeOptions, "canUseTool" | "disallowedTools"> {
  const { context, cwd } = place;
  const common = {
    ...(askTimeout === undefined ? {} : { timeoutMs: Math.ceil(askTimeout * 1000) }),
    describe: async (tool: string, input: Readonly<Record<string, unknown>>, isSandboxed: boolean) =>
      await judgeCall(tool, input, { cwd, isSandboxed }),
  };
  if (ask === "remote") {
    const onNoServer = (): void =>
      context.notice("A call waits for an answer, and no server runs: start `skein serve`");
    // The agent's own questions, which come as a tool, have somebody to answer them.
    return { canUseTool: askRemotely({ ...common, onNoServer }), disallowedTools: [] };
  }
  return canAsk(context) ? { canUseTool: askPeople(createTerminalFace(place), common) } : {};
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
  asking: Omit<Asking, "isSandboxed">,
  network?: NetworkPolicy,
): Promise<TurnPermissions> {
  const { context } = asking;
  const { options: bounds, trouble } = await turnBounds(mode, { path: context.env["PATH"], network });
  if (mode === "bypassPermissions") return { options: bounds };
  const person = personOptions({ ...asking, isSandboxed: !trouble });
  const options = { ...bounds, ...person };
  if (trouble) {
    const notice = `Bash commands need permission, because there is no sandbox: ${trouble.remedy}.`;
    return { options, notice, ...(person.canUseTool ? {} : { unconfined: unconfinedError(trouble) }) };
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
