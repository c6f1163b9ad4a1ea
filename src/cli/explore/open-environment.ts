import { ClaudeEngine } from "../../engine/internal.ts";
import { confineTurn } from "../../isolation/internal.ts";
import { openOfflineModel } from "../../offline/internal.ts";
import { ClaudeEnvironment } from "../../search/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { findAgentFolder } from "../open-workspace.ts";
import { plainLine } from "../../terminal/index.ts";
import { agentOptions, type AgentFlags } from "../turn/agent-flags.ts";
import { turnPermissions } from "../turn/open-agent.ts";
import type { ExploreFlags } from "./explore-flags.ts";
import type { NotCarried } from "../../workspace/internal.ts";
import { tellPathsOnce } from "../states/left-out.ts";

/** Opens a workspace for agents that work in branches of it, several at once. */
export async function openEnvironment(
  given: AgentFlags & Pick<ExploreFlags, "cwd" | "carry">,
  context: CommandContext,
): Promise<OpenEnvironment> {
  const cwd = await findAgentFolder(given.cwd, context);
  // Several agents cannot ask one person at once: what needs an answer is denied.
  const silent = { ...context, terminal: { ...context.terminal, canAsk: false } };
  const { options, notice } = await turnPermissions(given.permissionMode, {
    context: silent,
    cwd,
    onAsk: () => () => {},
  });
  if (notice !== undefined) context.notice(notice);
  const model = given.offline === undefined ? undefined : await openOfflineModel(given.offline);
  let ownPathReason: string | null = null;
  try {
    const environment = await ClaudeEnvironment.open(cwd, {
      engine: new ClaudeEngine(),
      options: await confineTurn(
        { ...agentOptions(given, options), env: model?.env ?? {} },
        { hostEnv: context.env, cwd, reveal: given.reveal, allowWorktrees: given.allowWorktrees, inBranches: true },
      ),
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
