import type { SkeinEvent } from "../../../core/index.ts";
import { ClaudeEngine, claudePrompt, type ClaudeOptions } from "../../../engine/index.ts";
import { confineTurn } from "../../../isolation/index.ts";
import type { TrustedSettings } from "../../../protocol/index.ts";
import { Conversation } from "../../../trace/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { agentOptions, type AgentFlags } from "../../turn/agent-flags.ts";
import { turnPermissions } from "../../turn/open-agent.ts";
import { runTurn, type TurnOutcome } from "../../turn/run-turn.ts";
import type { TurnView } from "../../turn/turn-view.ts";

interface FolderTurn {
  readonly prompt: string;
  readonly trusted: TrustedSettings;
  readonly flags: Omit<AgentFlags, "offline">;
  readonly timeoutS: number | undefined;
  readonly view: TurnView;
  readonly context: CommandContext;
  readonly options: Pick<ClaudeOptions, "env" | "settings" | "verbatimPrompts">;
}

/** Runs a turn with the folder's own settings as a new conversation, and records it. */
export async function runInFolder(workspace: Workspace, turn: FolderTurn): Promise<TurnOutcome> {
  const { prompt, flags, timeoutS, view, context } = turn;
  await using _ = await takeDirectory(workspace, context);
  const { options: allowed, ...rest } = await turnPermissions(flags.permissionMode, {
    context,
    cwd: workspace.path,
    onAsk: view.pause,
  });
  const given = {
    ...turn.trusted.options,
    ...agentOptions({ ...flags, offline: undefined }, allowed),
    ...(timeoutS === undefined ? {} : { timeoutMs: Math.ceil(timeoutS * 1000) }),
    ...turn.options,
  };
  const { reveal, allowWorktrees } = flags;
  const options = await confineTurn(given, { hostEnv: context.env, cwd: workspace.path, reveal, allowWorktrees });
  await using conversation = await Conversation.start(workspace, {
    engine: new ClaudeEngine(),
    options,
    isClaimed: true,
  });
  const show = async (event: SkeinEvent): Promise<void> => {
    if (event.type === "turn-start") await turn.trusted.verify();
    await view.show(event);
  };
  // Looked at once more: questions, and the recording of what was there, take their time.
  await turn.trusted.verify();
  return await runTurn({
    conversation,
    prompt: claudePrompt(prompt),
    view: { ...view, show },
    context,
    ...rest,
  });
}
