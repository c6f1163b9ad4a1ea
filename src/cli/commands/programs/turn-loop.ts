import { z } from "zod";
import {
  defined,
  errorFromRecord,
  failedResult,
  SkeinError,
  spendingOf,
  sumSpending,
  systemClock,
  type ErrorRecord,
  type SkeinEvent,
  type TurnStartEvent,
} from "../../../core/internal.ts";
import { ProcessManager } from "../../../engine/internal.ts";
import { openOfflineModel } from "../../../offline/internal.ts";
import { asData, matchNames, usageError, type RestoreData } from "../../../protocol/index.ts";
import {
  beginConversation,
  type Conversation,
  runTurnLoop,
  type ConversationBeginning,
  type LoopEvent,
  type LoopTurn,
  type TurnLoop,
} from "../../../trace/internal.ts";
import { amountFlag, argument, countFlag, LONGEST_TIMEOUT_S, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { createFlag, makeMissing } from "../../make-missing.ts";
import { cwdFlag, openForAgent } from "../../open-workspace.ts";
import { takeDirectory } from "../../states/take-directory.ts";
import { turnFlags, type AgentFlags } from "../../turn/agent-flags.ts";
import type { AskFlags } from "../../turn/setup/ask-flags.ts";
import { openAgent } from "../../turn/open-agent.ts";
import { showEvents, type EventSinks } from "../../turn/run-turn.ts";
import { toTurnData, type ToolCount } from "../../turn/turn-data.ts";
import { copyMounts } from "../../turn/setup/mounts.ts";
import { readSetup, type AgentSetup } from "../../turn/setup/read-setup.ts";
import { undoFailed, undoneField, undoOnFailureFlag } from "../../turn/undo-failed.ts";
import { openTurnScreen } from "../../turn/open-turn-screen.ts";
import { configuredLimits, turnEngine } from "../../turn/turn-engine.ts";
import { beforeFailure, beforeField, Limits, LoopData, OfTurn, type LoopTurnData } from "./turn-loop-data.ts";

const args = z.object({
  prompt: argument("What the agent should do in the first turn"),
  cwd: cwdFlag,
  create: createFlag,
  maxTurns: z.coerce.number().int().min(0).default(3).meta({ label: "count", description: "Limit on turns" }),
  timeout: z.coerce.number().min(0).max(LONGEST_TIMEOUT_S).optional().meta({
    label: "seconds",
    description: "Time limit for all turns together",
    setting: "budget.timeoutSeconds",
  }),
  continuationPrompt: textFlag("prompt", "The prompt of every later turn; without it there is only one turn"),
  compactAfterTurns: countFlag("Compact the session after every so many turns, before the next"),
  structuredRetryLimit: z.coerce.number().int().min(0).optional().meta({
    label: "count",
    description: "With --json-schema: how often the model may try again in a turn (4)",
  }),
  limit: z.coerce.number().int().min(0).default(5).meta({
    label: "count",
    description: "Match at most this many commands and this many tools to a prompt",
  }),
  maxTokens: countFlag("Token limit for all turns together, including cached tokens"),
  maxCostUsd: amountFlag("Spending limit for all turns together").meta({ setting: "budget.maxCostUsd" }),
  continue: switchFlag("Continue the conversation at the directory's head"),
  undoOnFailure: undoOnFailureFlag,
  ...turnFlags,
});

type Args = z.infer<typeof args>;

export const turnLoop = defineCommand({
  name: "turn-loop",
  summary: "Run turns of one conversation within limits",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args,
  positional: ["prompt"],
  data: LoopData,
  streaming: "on-request",
  hasTurnEvents: true,
  errorDetails: LoopData.partial().extend({ ...beforeField, ...undoneField }),
  examples: [
    'turn-loop "Build a TODO app" --max-turns 5 --continuation-prompt "Keep going until all tests pass"',
    'turn-loop "Is it ready?" --json-schema ready.schema.json --timeout 120 --output-format json',
  ],
  async run(given, context) {
    checkPrompts(given);
    checkRetryLimit(given);
    await makeMissing(given, context);
    const deadline = given.timeout === undefined ? undefined : systemClock.now() + given.timeout * 1000;
    const setup = await readSetup(given, context);
    const end = await runLoop(
      {
        ...given,
        deadline,
        setup,
        outputRetries: given.structuredRetryLimit,
        continuation: given.continuationPrompt,
        match: (prompt, start) => matchNames(prompt, start, given.limit),
        onTurn: (turn) => printTurn(turn, context),
      },
      context,
    );
    const found = toData(given, end);
    failUnlessEnded(found, end);
    return found;
  },
});

async function printTurn({ number, isCompaction, ended }: ShownTurn, { print }: CommandContext): Promise<void> {
  const heading = isCompaction ? "## Compaction" : `## Turn ${number + 1}`;
  const { tokensBefore, tokensAfter } = ended?.compaction ?? {};
  if (ended === undefined) return await print(`${number === 0 ? "" : "\n"}${heading}\n`);
  if (tokensBefore !== undefined)
    await print(`\ntokens=${tokensBefore}${tokensAfter === undefined ? "" : ` -> ${tokensAfter}`}`);
  await print(`\nstop_reason=${ended.stopReason}\n`);
}

interface ShownTurn {
  readonly number: number;
  readonly isCompaction: boolean;
  readonly ended?: LoopTurn;
}

function checkRetryLimit({ structuredRetryLimit, jsonSchema }: Args): void {
  if (structuredRetryLimit === undefined || jsonSchema !== undefined) return;
  throw usageError("turn-loop", "--structured-retry-limit needs --json-schema", {
    target: "--structured-retry-limit",
    hint: "Give the schema that the answers have to match with `jsonSchema`.",
  });
}

function checkPrompts({ prompt, continuationPrompt }: Args): void {
  const hint = "Say what the agent should do.";
  if (prompt.trim() === "") throw usageError("turn-loop", "The prompt is empty", { target: "prompt", hint });
  if (continuationPrompt?.trim() !== "") return;
  throw usageError("turn-loop", "The continuation prompt is empty", { target: "--continuation-prompt", hint });
}

function toData(given: Args, { cwd, turns, costUsd, recorded }: LoopEnd): LoopData {
  const last = turns.at(-1);
  const hadMoreToSay = last?.stop_reason === "completed" && given.continuationPrompt !== undefined;
  return {
    prompt: given.prompt,
    cwd,
    conversation_id: recorded?.conversationId ?? null,
    ...asData(Limits, given),
    turns_completed: turns.filter(({ stop_reason: reason, compaction }) => reason === "completed" && !compaction)
      .length,
    turns: [...turns],
    cost_usd: costUsd,
    final_stop_reason: hadMoreToSay ? "max_turns_reached" : (last?.stop_reason ?? null),
    final_cancel_observed: last?.cancel_observed ?? false,
    safe_to_reuse_session: last?.safe_to_reuse_session ?? true,
  };
}

/** A loop that was stopped from outside, or failed, is an error with the same fields; one that used up its limits is none. */
function failUnlessEnded(told: LoopData, { error, undone }: LoopEnd): void {
  const hint = hintFor(told);
  const found = { ...told, ...beforeFailure(told.turns.at(-1)), ...defined({ undone }) };
  switch (found.final_stop_reason) {
    case "timeout": {
      const isSilence = error !== undefined && error["reason"] !== "deadline";
      const message = isSilence ? error.message : `The turns took longer than ${found.timeout} s`;
      throw new SkeinError(message, { kind: "timeout", retryable: isSilence, hint, details: found });
    }
    case "cancelled":
      throw new SkeinError("The turns were cancelled", { kind: "cancelled", hint, details: found });
    case "error":
      throw error
        ? errorFromRecord(error, found)
        : new SkeinError("The turn failed", { kind: "runtime", details: found });
    default:
  }
}

function hintFor(found: LoopData): string {
  if (found.conversation_id === null && found.safe_to_reuse_session)
    return "Nothing was changed; you can run it again.";
  return found.safe_to_reuse_session ? "Continue the session with `continue`" : "Start a new session.";
}

interface LoopToRun extends AgentFlags, AskFlags, ConversationBeginning, Omit<TurnLoop, "signal" | "processes"> {
  readonly cwd?: string | undefined;
  readonly setup: AgentSetup;
  readonly outputRetries?: number | undefined;
  readonly retries: number;
  readonly undoOnFailure: boolean;
  /** Finds what a prompt seems to be about, among what the turn was offered. */
  match(prompt: string, start: TurnStartEvent): Matches;
  /** Called before each turn that is run, and after each. */
  onTurn?(turn: ShownTurn): Promise<void>;
}

export interface LoopEnd {
  readonly cwd: string;
  readonly turns: readonly LoopTurnData[];
  readonly costUsd: number;
  readonly error?: ErrorRecord | undefined;
  /** What became of the last turn, where it failed and was to be taken back. */
  readonly undone?: RestoreData | null | undefined;
  readonly recorded?: { readonly conversationId: string; readonly storePath: string } | undefined;
}

/** Runs turns of one conversation and shows them. Nothing is recorded, and no agent started, before the first. */
export async function runLoop(loop: LoopToRun, caller: CommandContext): Promise<LoopEnd> {
  const { view, context, onAsk } = openTurnScreen(caller, { isOffline: loop.offline !== undefined });
  await using processes = new ProcessManager();
  const engine = await turnEngine(loop, context, { setup: loop.setup, processes });
  await using workspace = await openForAgent(loop.cwd, context);
  await using model = loop.offline === undefined ? undefined : await openOfflineModel(loop.offline);
  const { path: cwd, home: storePath } = workspace;
  const { setup } = loop;
  await using agent = await openAgent(loop, { context: caller, cwd, model, setup, onAsk });
  // A turn that was cut off here comes first: it is what `--continue` goes on from.
  await using _ = await takeDirectory(workspace, context);
  await copyMounts(loop.setup.mounts, cwd);
  const limits = configuredLimits(context);
  const options = { ...agent.options, ...limits, ...defined({ outputRetries: loop.outputRetries }) };
  const parts = { engine, options, isClaimed: true };
  await using conversation = await beginConversation(workspace, loop, parts);
  const events = runTurnLoop(conversation, { ...loop, signal: context.signal, processes });
  const shown = await showLoop(events, { match: loop.match, onTurn: loop.onTurn, view, context, ...agent.told });
  const isRecorded = shown.turns.some(({ state_id: id }) => id !== null);
  // The id is asked last: a turn that somebody else has overtaken is kept as another conversation.
  const undone = loop.undoOnFailure && hasFailed(shown.turns) ? await takeBack(conversation, context) : undefined;
  return {
    cwd,
    ...shown,
    ...defined({ undone }),
    recorded: isRecorded ? { conversationId: conversation.id, storePath } : undefined,
  };
}

function hasFailed(turns: readonly LoopTurnData[]): boolean {
  const last = turns.at(-1);
  return last !== undefined && last.state_id !== null && ["error", "timeout", "cancelled"].includes(last.stop_reason);
}

async function takeBack(conversation: Conversation, context: CommandContext): Promise<RestoreData | null> {
  await conversation.close();
  return await undoFailed(conversation.workspace, context);
}

type Loop = AsyncGenerator<LoopEvent, readonly LoopTurn[], void>;

async function showLoop(
  loop: Loop,
  { match, onTurn, ...sinks }: Pick<LoopToRun, "match"> & { readonly onTurn: LoopToRun["onTurn"] } & EventSinks,
): Promise<Pick<LoopEnd, "turns" | "error" | "costUsd">> {
  const turns: LoopTurnData[] = [];
  const add = (turn: LoopTurn, seen: Seen, matches: Matches = NO_MATCHES): void =>
    void turns.push(toLoopTurnData(turn, { ...seen, matches, sessionId: turns.at(-1)?.session_id }));
  try {
    for (;;) {
      const { done, value } = await loop.next();
      if (done) {
        // The last one may have been refused: then nothing was shown of it.
        for (const turn of value.slice(turns.length)) add(turn, { tools: [] });
        const { costUsd } = sumSpending(value.flatMap(({ result }) => (result ? [spendingOf(result)] : [])));
        return { turns, error: value.at(-1)?.error, costUsd };
      }
      if (value.type !== "loop-turn-start") continue;
      const { number, isCompaction } = value;
      await onTurn?.({ number, isCompaction });
      let start: TurnStartEvent | undefined;
      const watch = (event: SkeinEvent): void => void (event.type === "turn-start" && (start = event));
      const { value: turn, ...seen } = await showEvents(eventsOfTurn(loop, watch), sinks);
      add(turn, seen, start && turn.result && !isCompaction ? match(turn.prompt, start) : undefined);
      await onTurn?.({ number, isCompaction, ended: turn });
    }
  } finally {
    await loop.return([]);
  }
}

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

interface Seen {
  readonly tools: readonly ToolCount[];
  readonly attempts?: number;
}

type Matches = Pick<LoopTurnData, "matched_commands" | "matched_tools">;

const NO_MATCHES: Matches = { matched_commands: [], matched_tools: [] };

/** Puts a turn into the words of the envelope: also one that was not begun, which can be asked for again. */
function toLoopTurnData(
  turn: LoopTurn,
  { tools, attempts = 1, matches, sessionId }: Seen & { matches: Matches; sessionId?: string | undefined },
): LoopTurnData {
  const files = { created: [], modified: [], deleted: [], renamed: [] };
  const result = turn.result ?? failedResult(new SkeinError("", { kind: "cancelled" }), { sessionId });
  const told = toTurnData(result, { tools, attempts, files });
  const { compaction } = turn;
  return {
    prompt: turn.prompt,
    output: told.text,
    stop_reason: turn.stopReason,
    cancel_observed: turn.isStopProven,
    safe_to_reuse_session: turn.isReusable,
    ...matches,
    before_state_id: turn.beforeStateId ?? null,
    state_id: turn.stateId ?? null,
    compaction: compaction
      ? { tokens_before: compaction.tokensBefore ?? null, tokens_after: compaction.tokensAfter ?? null }
      : null,
    ...OfTurn.strip().parse(told),
  };
}
