import { ClaudeEngine, ProcessManager, type ClaudeOptions } from "../../engine/index.ts";
import { confineTurn } from "../../isolation/index.ts";
import { agentOptions, type AgentFlags } from "../turn/agent-flags.ts";
import { beginConversation, type ConversationBeginning } from "../../trace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { createLoopGuard, type LoopLimits } from "./loop-guard.ts";
import { openOfflineModel } from "../../offline/index.ts";
import { openWorkspace } from "../open-workspace.ts";
import { runTurnLoop, type LoopEnd, type TurnLoop } from "./run-turn-loop.ts";
import { takeDirectory } from "../states/take-directory.ts";
import { turnPermissions } from "../turn/turn-permissions.ts";
import { createTurnView } from "../turn/turn-view.ts";
import { defined } from "../../core/index.ts";

/** Whose turns are held where, and what they may take together. */
export interface LoopSettings extends AgentFlags, ConversationBeginning, Omit<LoopLimits, "signal"> {
  readonly cwd?: string | undefined;
  readonly outputSchema?: ClaudeOptions["outputSchema"] | undefined;
}

/** A conversation that turns can be run in. */
export interface HeldLoop {
  /** The workspace. */
  readonly cwd: string;
  /** The folder in which everything that is recorded of it is kept. */
  readonly storePath: string;
  /** The conversation's id; another one after a turn that somebody else has overtaken. */
  conversationId(): string;
  run(turns: Pick<TurnLoop, "prompt" | "continuation" | "maxTurns" | "match" | "onTurn">): Promise<LoopEnd>;
}

/** Works with a loop of turns. Nothing is recorded, and no agent started, before its first turn; all is closed after the work. */
export async function withLoop<T>(
  settings: LoopSettings,
  context: CommandContext,
  work: (loop: HeldLoop) => Promise<T>,
): Promise<T> {
  await using workspace = await openWorkspace(settings.cwd, context);
  await using model = settings.offline === undefined ? undefined : await openOfflineModel(settings.offline);
  await using processes = new ProcessManager();
  const view = createTurnView(context);
  const guard = createLoopGuard({ ...settings, signal: context.signal }, workspace.clock);
  const asking = { context, cwd: workspace.path, onAsk: view.pause };
  const { options: allowed, ...notice } = await turnPermissions(settings.permissionMode, asking);
  const { reveal, allowWorktrees } = settings;
  const options = await confineTurn(
    { ...loopOptions(settings, allowed), env: model?.env ?? {} },
    { hostEnv: context.env, cwd: workspace.path, reveal, allowWorktrees },
  );
  // A turn that was cut off here comes first: it is what `--continue` goes on from.
  await using _ = await takeDirectory(workspace, context);
  const engine = new ClaudeEngine({}, { processes });
  await using conversation = await beginConversation(workspace, settings, { engine, options, isClaimed: true });
  const held = { conversation, processes, guard, view, context, ...notice };
  return await work({
    cwd: workspace.path,
    storePath: workspace.home,
    conversationId: () => conversation.id,
    run: (turns) => runTurnLoop({ ...turns, ...held }),
  });
}

function loopOptions(settings: LoopSettings, allowed: ClaudeOptions): ClaudeOptions {
  return {
    ...agentOptions(settings, allowed),
    ...defined({ outputSchema: settings.outputSchema }),
  };
}
