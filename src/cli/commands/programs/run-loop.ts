import { z } from "zod";
import {
  defined,
  failedResult,
  SkeinError,
  spendingOf,
  sumSpending,
  type ErrorRecord,
  type SkeinEvent,
  type TurnStartEvent,
} from "../../../core/index.ts";
import { ClaudeEngine, ProcessManager, type ClaudeOptions } from "../../../engine/index.ts";
import { openOfflineModel } from "../../../offline/index.ts";
import {
  beginConversation,
  LOOP_STOP_REASONS,
  runTurnLoop,
  type ConversationBeginning,
  type LoopEvent,
  type LoopTurn,
  type TurnLoop,
} from "../../../trace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import type { AgentFlags } from "../../turn/agent-flags.ts";
import { openAgent } from "../../turn/open-agent.ts";
import { showEvents, type EventSinks } from "../../turn/run-turn.ts";
import { toTurnData, TurnData, type ToolCount } from "../../turn/turn-data.ts";
import { createTurnView } from "../../turn/turn-view.ts";

interface LoopToRun extends AgentFlags, ConversationBeginning, Omit<TurnLoop, "signal" | "processes"> {
  readonly cwd?: string | undefined;
  readonly outputSchema?: ClaudeOptions["outputSchema"] | undefined;
  /** Finds what a prompt seems to be about, among what the turn was offered. */
  match(prompt: string, start: TurnStartEvent): Matches;
  /** Called before each turn that is run, and after each. */
  onTurn?(turn: { readonly number: number; readonly ended?: LoopTurn }): Promise<void>;
}

export interface LoopEnd {
  readonly cwd: string;
  readonly turns: readonly LoopTurnData[];
  readonly costUsd: number;
  readonly error?: ErrorRecord | undefined;
  /** Where the turns are recorded; undefined where none was. */
  readonly recorded?: { readonly conversationId: string; readonly storePath: string } | undefined;
}

/** Runs turns of one conversation and shows them. Nothing is recorded, and no agent started, before the first. */
export async function runLoop(loop: LoopToRun, context: CommandContext): Promise<LoopEnd> {
  await using workspace = await openWorkspace(loop.cwd, context);
  await using model = loop.offline === undefined ? undefined : await openOfflineModel(loop.offline);
  await using processes = new ProcessManager();
  const { path: cwd, home: storePath } = workspace;
  const view = createTurnView(context);
  await using agent = await openAgent(loop, { context, cwd, env: model?.env ?? {}, onAsk: view.pause });
  const options = { ...agent.options, ...defined({ outputSchema: loop.outputSchema }) };
  // A turn that was cut off here comes first: it is what `--continue` goes on from.
  await using _ = await takeDirectory(workspace, context);
  const engine = new ClaudeEngine({}, { processes });
  await using conversation = await beginConversation(workspace, loop, { engine, options, isClaimed: true });
  const events = runTurnLoop(conversation, { ...loop, signal: context.signal, processes });
  const shown = await showLoop(events, { match: loop.match, onTurn: loop.onTurn, view, context, ...agent.told });
  const isRecorded = shown.turns.some(({ state_id: id }) => id !== null);
  // The id is asked last: a turn that somebody else has overtaken is kept as another conversation.
  return { cwd, ...shown, recorded: isRecorded ? { conversationId: conversation.id, storePath } : undefined };
}

type Loop = AsyncGenerator<LoopEvent, readonly LoopTurn[], void>;

async function showLoop(
  loop: Loop,
  { match, onTurn, ...sinks }: Pick<LoopToRun, "match"> & { readonly onTurn: LoopToRun["onTurn"] } & EventSinks,
): Promise<Pick<LoopEnd, "turns" | "error" | "costUsd">> {
  const turns: LoopTurnData[] = [];
  const add = (turn: LoopTurn, tools: readonly ToolCount[], matches: Matches = NO_MATCHES): void =>
    void turns.push(toLoopTurnData(turn, { tools, matches, sessionId: turns.at(-1)?.session_id }));
  try {
    for (;;) {
      const { done, value } = await loop.next();
      if (done) {
        // The last one may have been refused: then nothing was shown of it.
        for (const turn of value.slice(turns.length)) add(turn, []);
        const { costUsd } = sumSpending(value.flatMap(({ result }) => (result ? [spendingOf(result)] : [])));
        return { turns, error: value.at(-1)?.error, costUsd };
      }
      if (value.type !== "loop-turn-start") continue;
      const { number } = value;
      await onTurn?.({ number });
      let start: TurnStartEvent | undefined;
      const watch = (event: SkeinEvent): void => void (event.type === "turn-start" && (start = event));
      const { value: turn, tools } = await showEvents(eventsOfTurn(loop, watch), sinks);
      add(turn, tools, start && turn.result && match(turn.prompt, start));
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

const OfTurn = TurnData.pick({
  session_id: true,
  usage: true,
  cost_usd: true,
  duration_ms: true,
  tools: true,
  permission_denials: true,
  structured_output: true,
});

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
  ...OfTurn.shape,
});
export type LoopTurnData = z.infer<typeof LoopTurnData>;

type Matches = Pick<LoopTurnData, "matched_commands" | "matched_tools">;

const NO_MATCHES: Matches = { matched_commands: [], matched_tools: [] };

/** Puts a turn into the words of the envelope: also one that was not begun, which can be asked for again. */
function toLoopTurnData(
  turn: LoopTurn,
  { tools, matches, sessionId }: { tools: readonly ToolCount[]; matches: Matches; sessionId?: string | undefined },
): LoopTurnData {
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
    ...OfTurn.strip().parse(data),
  };
}
