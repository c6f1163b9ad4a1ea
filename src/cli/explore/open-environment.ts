import { createHash } from "node:crypto";
import { defined } from "../../core/internal.ts";
import { createEngine, engineSettingsKey, type Engine } from "../../engine/internal.ts";
import { confineTurn, IsolationConfig, isolatedEngine } from "../../isolation/internal.ts";
import { openOfflineModel } from "../../offline/internal.ts";
import { ClaudeEnvironment, type ClaudeEnvironmentOptions } from "../../search/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { findAgentFolder } from "../open-workspace.ts";
import { plainLine } from "../../terminal/index.ts";
import { agentOptions, type TurnFlags } from "../turn/agent-flags.ts";
import { agentVariables, isIsolated, isolatedOptions, turnPermissions, type AgentPlace } from "../turn/open-agent.ts";
import type { AgentSetup } from "../turn/setup/read-setup.ts";
import { setupText } from "../turn/setup/setup-text.ts";
import { configuredLimits, turnEngine } from "../turn/turn-engine.ts";
import { agentParts } from "./explore-search.ts";
import type { ExploreFlags } from "./explore-flags.ts";
import type { NotCarried } from "../../workspace/internal.ts";
import { tellPathsOnce } from "../states/left-out.ts";

/** Opens a workspace for agents that work in branches of it, several at once. */
export async function openEnvironment(
  given: TurnFlags & Pick<ExploreFlags, "cwd" | "carry" | "reuse" | "maxResponses">,
  { setup, context }: { readonly setup: AgentSetup; readonly context: CommandContext },
): Promise<OpenEnvironment> {
  const cwd = await findAgentFolder(given.cwd, context);
  const model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
  let ownPathReason: string | null = null;
  try {
    const agent = await branchAgent(given, { setup, context, cwd, model });
    const environment = await ClaudeEnvironment.open(cwd, {
      options: agent.options,
      engine: keyedEngine(agent.engine, agentParts(given, setupText(setup))),
      reuse: given.reuse ? "always" : "never",
      workspace: {
        branches: {
          alsoCarry: given.carry,
          onCopies: (reasons) => context.notice(`Branches are copies here: ${reasons.join("; ")}`),
          onOwnPath(reason) {
            ownPathReason = reason;
            context.notice(`Agents see branches at their own paths, not at the workspace's: ${plainLine(reason)}`);
          },
        },
      },
    });
    return {
      environment,
      ownPathReason: () => ownPathReason,
      async [Symbol.asyncDispose]() {
        await environment.close();
        await model?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await model?.[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * An engine whose settings are told by what the person said. Hooks and the address of an offline model are others in every process, and
 * no earlier turn would be taken for the same.
 */
export function keyedEngine(engine: Engine, said: readonly (readonly unknown[])[]): Engine {
  const open = engine.open?.bind(engine);
  const key = createHash("sha256")
    .update(JSON.stringify([engineSettingsKey(engine), said]))
    .digest("hex");
  return {
    ...createEngine((prompt, options) => engine.stream(prompt, options)),
    ...(open ? { open } : {}),
    settingsKey: () => key,
  };
}

interface BranchPlace extends Pick<AgentPlace, "setup" | "context" | "model"> {
  readonly cwd: string;
}

/** What runs agents in branches. */
export interface BranchAgent {
  readonly engine: Engine;
  readonly options: NonNullable<ClaudeEnvironmentOptions["options"]>;
  /** What every turn of the engine is isolated by; undefined where they are confined among the user's files. */
  readonly isolation?: IsolationConfig;
}

/** What runs the agents and with which options: isolated each in its own branch, or confined among the user's files. */
export async function branchAgent(
  given: TurnFlags & Pick<ExploreFlags, "maxResponses">,
  { context, ...place }: BranchPlace,
): Promise<BranchAgent> {
  const { setup, cwd } = place;
  // Several agents cannot ask one person at the terminal at once: what needs an answer is denied, unless somebody elsewhere gives it.
  const silent = { ...context, terminal: { ...context.terminal, canAsk: false } };
  const asking = { context: silent, cwd, onAsk: () => () => {}, ask: given.ask, askTimeout: given.askTimeout };
  const variables = agentVariables({ ...place, context });
  const engine = await turnEngine(given, context, { setup });
  const limits = { ...configuredLimits(context), ...defined({ maxResponses: given.maxResponses }) };
  if (isIsolated({ context, setup })) {
    const config = IsolationConfig({ networkPolicy: setup.network });
    const options = { ...isolatedOptions(given, { ...asking, setup }), ...limits, ...variables };
    return { engine: isolatedEngine(engine, config, { hostEnv: context.env }), options, isolation: config };
  }
  const { options, notice } = await turnPermissions(given.permissionMode, asking, setup.network);
  if (notice !== undefined) context.notice(notice);
  const reveal = [...given.reveal, ...setup.revealed];
  const { allowWorktrees } = given;
  const wanted = { ...setup.options, ...agentOptions(given, options), ...limits, ...variables };
  return {
    engine,
    options: await confineTurn(wanted, { hostEnv: context.env, cwd, reveal, allowWorktrees, inBranches: true }),
  };
}

interface OpenEnvironment extends AsyncDisposable {
  readonly environment: ClaudeEnvironment;
  /** Why agents saw branches at paths of their own; null where they saw them at the workspace's. */
  ownPathReason(): string | null;
}

/** Finds what lies in the workspace and not on its branches, and says it, each path once. */
export async function tellNotCarried(
  environment: ClaudeEnvironment,
  context: CommandContext,
): Promise<readonly NotCarried[]> {
  for (const glob of await environment.idleGlobs()) {
    context.notice(`--carry ${plainLine(glob)} matches nothing that branches would lack.`);
  }
  const found = await environment.notCarried();
  const paths = found.map(({ path }) => path);
  await tellPathsOnce(environment.workspace, { name: "told-not-carried", paths }, (list) =>
    context.notice(
      `Not on branches, because states leave it out: ${list}. Use --carry to bring something along, such as --carry .env.`,
    ),
  );
  return found;
}
