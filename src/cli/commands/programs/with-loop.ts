import { z } from "zod";
import {
  defined,
  spendingOf,
  sumSpending,
  type ErrorRecord,
  type SkeinEvent,
  type TurnStartEvent,
  failedResult,
  SkeinError,
} from "../../../core/index.ts";
import { ClaudeEngine, ProcessManager, type ClaudeOptions } from "../../../engine/index.ts";
import { confineTurn } from "../../../isolation/index.ts";
import { openOfflineModel } from "../../../offline/index.ts";
import {
  beginConversation,
  runTurnLoop,
  type ConversationBeginning,
  type LoopEvent,
  type LoopLimits,
  type LoopTurn,
  type TurnLoop,
  LOOP_STOP_REASONS,
} from "../../../trace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { agentOptions, type AgentFlags } from "../../turn/agent-flags.ts";
import { turnPermissions } from "../../turn/open-agent.ts";
import { showEvents, type EventSinks } from "../../turn/run-turn.ts";
import { createTurnView } from "../../turn/turn-view.ts";
import { toTurnData, TurnData, type ToolCount } from "../../turn/turn-data.ts";

interface LoopSettings extends AgentFlags, ConversationBeginning, Omit<LoopLimits, "signal"> {
  readonly cwd?: string | undefined;
  readonly outputSchema?: ClaudeOptions["outputSchema"] | undefined;
}

interface LoopTurns extends Pick<TurnLoop, "prompt" | "continuation" | "maxTurns"> {
  /** Finds what a prompt seems to be about, among what the turn was offered. */
  match?(prompt: string, start: TurnStartEvent): Matches;
  /** Called before each turn that is run, and after each. */
  onTurn?(turn: { readonly number: number; readonly ended?: LoopTurn }): Promise<void>;
}

export interface LoopEnd {
  readonly turns: readonly LoopTurnData[];
  readonly error?: ErrorRecord | undefined;
  readonly costUsd: number;
}

export interface HeldLoop {
  readonly cwd: string;
  readonly storePath: string;
  /** The conversation's id; another one after a turn that somebody else has overtaken. */
  conversationId(): string;
  run(turns: LoopTurns): Promise<LoopEnd>;
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
  const asking = { context, cwd: workspace.path, onAsk: view.pause };
  const { options: allowed, ...notice } = await turnPermissions(settings.permissionMode, asking);
  const { outputSchema, reveal, allowWorktrees } = settings;
  const options = await confineTurn(
    { ...agentOptions(settings, allowed), ...defined({ outputSchema }), env: model?.env ?? {} },
    { hostEnv: context.env, cwd: workspace.path, reveal, allowWorktrees },
  );
  // A turn that was cut off here comes first: it is what `--continue` goes on from.
  await using _ = await takeDirectory(workspace, context);
  const engine = new ClaudeEngine({}, { processes });
  await using conversation = await beginConversation(workspace, settings, { engine, options, isClaimed: true });
  const { deadline, maxTokens, maxCostUsd } = settings;
  const limits = { deadline, maxTokens, maxCostUsd, signal: context.signal, processes };
  return await work({
    cwd: workspace.path,
    storePath: workspace.home,
    conversationId: () => conversation.id,
    run: async (turns) =>
      await showLoop(runTurnLoop(conversation, { ...turns, ...limits }), { ...turns, view, context, ...notice }),
  });
}

type Loop = AsyncGenerator<LoopEvent, readonly LoopTurn[], void>;

/** Shows a loop of turns as it runs, and puts its turns into the words of the envelope. */
async function showLoop(loop: Loop, { match, onTurn, ...sinks }: LoopTurns & EventSinks): Promise<LoopEnd> {
  const turns: LoopTurnData[] = [];
  const add = (turn: LoopTurn, seen: Pick<LoopTurnData, "tools"> & Matches): void => {
    const { tools, ...matches } = seen;
    turns.push(toLoopTurnData(turn, { tools, matches, sessionId: turns.at(-1)?.session_id }));
  };
  try {
    for (;;) {
      const { done, value } = await loop.next();
      if (done) {
        // The last one may have been refused: then nothing was shown of it.
        for (const turn of value.slice(turns.length)) add(turn, { tools: [], ...NO_MATCHES });
        return {
          turns,
          error: value.at(-1)?.error,
          costUsd: sumSpending(value.flatMap(({ result }) => (result ? [spendingOf(result)] : []))).costUsd,
        };
      }
      if (value.type !== "loop-turn-start") continue;
      const { number } = value;
      await onTurn?.({ number });
      let start: TurnStartEvent | undefined;
      const watch = (event: SkeinEvent): void => void (event.type === "turn-start" && (start = event));
      const { value: turn, tools } = await showEvents(eventsOfTurn(loop, watch), sinks);
      add(turn, { tools: [...tools], ...((start && turn.result && match?.(turn.prompt, start)) ?? NO_MATCHES) });
      await onTurn?.({ number, ended: turn });
    }
  } finally {
    await loop.return([]);
  }
}

/** What a loop tells of the turn that it has begun. */
async function* eventsOfTurn(
  loop: Loop,
  watch: (event: SkeinEvent) => void,
): AsyncGenerator<SkeinEvent, LoopTurn, void> {
  for (;;) {
    const { done, value } = await loop.next();
    if (done || value.type === "loop-turn-start") throw new TypeError("A turn of a loop ends with its own event");
    if (value.type === "loop-turn-end") return value.turn;
    watch(value);
    yield value;
  }
}

export const LoopTurnData = z.strictObject({
  prompt: z.string(),
  output: z.string(),
  stop_reason: z.enum(LOOP_STOP_REASONS),
  /** Whether the engine has acknowledged that it was stopped: by a receipt, or by the proven end of its process. */
  cancel_observed: z.boolean(),
  /** Whether nothing goes on any more in the session, so that another turn can follow. */
  safe_to_reuse_session: z.boolean(),
  /** What the CLI offers that the prompt seems to be about, the best first. */
  matched_commands: z.array(z.string()),
  matched_tools: z.array(z.string()),
  /** The state after the turn; null where it was refused, and nothing was changed. */
  state_id: z.string().nullable(),
  ...TurnData.pick({ session_id: true, usage: true, cost_usd: true, duration_ms: true }).shape,
  ...TurnData.pick({ tools: true, permission_denials: true, structured_output: true }).shape,
});
export type LoopTurnData = z.infer<typeof LoopTurnData>;

type Matches = Pick<LoopTurnData, "matched_commands" | "matched_tools">;

const NO_MATCHES: Matches = { matched_commands: [], matched_tools: [] };

interface LoopTurnSeen {
  readonly tools: readonly ToolCount[];
  readonly matches: Matches;
  readonly sessionId?: string | undefined;
}

/** Puts a turn into the words of the envelope: also one that was not begun, which can be asked for again. */
function toLoopTurnData(turn: LoopTurn, { tools, matches, sessionId = "" }: LoopTurnSeen): LoopTurnData {
  const files = { created: [], modified: [], deleted: [], renamed: [] };
  const result = turn.result ?? failedResult(new SkeinError("", { kind: "cancelled" }), { sessionId });
  const data = toTurnData(result, { tools, files });
  return {
    prompt: turn.prompt,
    output: data.text,
    stop_reason: turn.stopReason,
    cancel_observed: turn.isStopProven,
    safe_to_reuse_session: turn.isReusable,
    ...matches,
    state_id: turn.stateId ?? null,
    session_id: data.session_id,
    usage: data.usage,
    cost_usd: data.cost_usd,
    duration_ms: data.duration_ms,
    tools: data.tools,
    permission_denials: data.permission_denials,
    ...defined({ structured_output: data.structured_output }),
  };
}
