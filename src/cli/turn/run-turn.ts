import { SkeinError, type ErrorRecord, isEvent, type SkeinEvent, type TurnResult } from "../../core/internal.ts";
import type { ClaudePrompt } from "../../engine/internal.ts";
import type { Conversation, Transition } from "../../trace/internal.ts";
import { gitLeftOutByTurn } from "../states/left-out.ts";
import { toTurnData, type ToolCount, type TurnData, type TurnSeen } from "./turn-data.ts";
import { toWire, isAboutFile, toFilesData } from "../../protocol/index.ts";
import type { CommandContext } from "../define-command.ts";
import type { TurnView } from "./turn-view.ts";

/** What a turn came to; a failed one has data too. */
export interface TurnOutcome {
  readonly data: TurnData;
  readonly error?: ErrorRecord;
}

/** Runs one turn of a conversation: shows and emits its events, and tells what became of the files. */
export async function runTurn({
  conversation,
  prompt,
  ...sinks
}: EventSinks & { readonly conversation: Conversation; readonly prompt: ClaudePrompt }): Promise<TurnOutcome> {
  const events = conversation.stream(prompt, { signal: sinks.context.signal });
  const { value: transition, result, tools, attempts, error } = await showEvents(events, sinks);
  if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
  const files = toFilesData((await transition.filesChanged()).filter(isAboutFile));
  const data = toTurnData(result, { tools, attempts, files, ...(await readRecorded(conversation, transition)) });
  return error ? { data, error } : { data };
}

async function readRecorded(
  conversation: Conversation,
  transition: Transition,
): Promise<Pick<TurnSeen, "unheld" | "gitLeftOut" | "recorded">> {
  const [before, after] = [transition.before.stateId, transition.after.stateId];
  if (after === undefined) return {};
  return {
    unheld: await transition.unheldChanges(),
    gitLeftOut: await gitLeftOutByTurn(conversation.workspace, { before, after }),
    // A turn that somebody else overtook is kept as a conversation of its own.
    recorded: { beforeStateId: before, stateId: after, transitionId: transition.id, conversationId: conversation.id },
  };
}

export interface EventSinks {
  readonly view: TurnView;
  readonly context: CommandContext;
  readonly notice?: string;
  /** The error of a turn whose every call was denied or failed, Bash among them. */
  readonly unconfined?: ErrorRecord;
}

interface ShownTurn<Value> {
  readonly value: Value;
  /** What the turn itself ended with; none where it never got so far. */
  readonly result: TurnResult | undefined;
  readonly tools: readonly ToolCount[];
  /** How often the turn was run, by its own account. */
  readonly attempts: number;
  readonly error: ErrorRecord | undefined;
}

/** Shows and emits the events of a turn as they come, and counts its tools. */
export async function showEvents<Value>(
  events: AsyncGenerator<SkeinEvent, Value, void>,
  { view, context, notice, unconfined }: EventSinks,
): Promise<ShownTurn<Value>> {
  let tools: readonly ToolCount[] = [];
  let attempts = 1;
  let result: TurnResult | undefined;
  if (notice !== undefined) context.notice(notice);
  view.begin();
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done) {
        const error = result?.error ?? (cameToNothing(tools) ? unconfined : undefined);
        return { value, result, tools, attempts, error };
      }
      if (value.type === "status" && ANOTHER_ATTEMPT.includes(value.status)) attempts += 1;
      if (value.type === "turn-end") ({ result } = value);
      tools = countTool(tools, value);
      await context.emit(toWire(toEmitted(value)));
      await view.show(value);
    }
  } finally {
    view.end();
  }
}

/** What an engine says before it runs a turn again. */
const ANOTHER_ATTEMPT: readonly string[] = ["retrying", "fallback", "plugin-retry"];

/** A piece of thinking or of an input says all by itself; there are many, and the raw message around each is several times as long. */
function toEmitted(event: SkeinEvent): object {
  if (!isEvent(event, "thinking-delta", "signature-delta", "tool-input-delta")) return event;
  const { raw: _, ...piece } = event;
  return piece;
}

function cameToNothing(tools: readonly ToolCount[]): boolean {
  const hasDenied = tools.some(({ tool, denied }) => tool === "Bash" && denied > 0);
  return hasDenied && tools.every(({ calls, errors, denied }) => errors + denied === calls);
}

/** Counts the calls of one more event into a tally; tools stay in the order of their first call. */
function countTool(tally: readonly ToolCount[], event: SkeinEvent): readonly ToolCount[] {
  if (event.type !== "tool-end") return tally;
  const known = tally.find(({ tool }) => tool === event.tool);
  const before = known ?? { tool: event.tool, calls: 0, errors: 0, denied: 0 };
  const after: ToolCount = {
    tool: event.tool,
    calls: before.calls + 1,
    errors: before.errors + (event.isError && !event.isDenied ? 1 : 0),
    denied: before.denied + (event.isDenied ? 1 : 0),
  };
  return known ? tally.map((count) => (count === known ? after : count)) : [...tally, after];
}
