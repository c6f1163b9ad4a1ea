import { isEvent, type ErrorRecord, type SkeinEvent, type TurnResult } from "../../core/index.ts";
import { toWire } from "../../protocol/index.ts";
import type { CommandContext } from "../command-context.ts";
import type { TurnView } from "./turn-view.ts";

/** Where the events of a turn go. */
export interface EventSinks {
  readonly view: TurnView;
  readonly context: CommandContext;
  /** A line for standard error, before the turn begins. */
  readonly notice?: string;
  /** The error of a turn whose every call was denied or failed, Bash among them. */
  readonly unconfined?: ErrorRecord;
}

/** What a turn's events came to. */
interface ShownTurn<Value> {
  /** What the events ended in. */
  readonly value: Value;
  /** What the turn itself ended with; none where it never got so far. */
  readonly result: TurnResult | undefined;
  readonly tools: readonly ToolCount[];
  /** What went wrong with it. */
  readonly error: ErrorRecord | undefined;
}

/** Shows and emits the events of a turn as they come, and counts its tools. */
export async function showEvents<Value>(
  events: AsyncGenerator<SkeinEvent, Value, void>,
  { view, context, notice, unconfined }: EventSinks,
): Promise<ShownTurn<Value>> {
  let tools: readonly ToolCount[] = [];
  let result: TurnResult | undefined;
  if (notice !== undefined) context.notice(notice);
  view.begin();
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done)
        return { value, result, tools, error: result?.error ?? (cameToNothing(tools) ? unconfined : undefined) };
      if (value.type === "turn-end") ({ result } = value);
      tools = countTool(tools, value);
      await context.emit(toWire(toEmitted(value)));
      await view.show(value);
    }
  } finally {
    view.end();
  }
}

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

/** How often a tool was called, and how that went. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly denied: number;
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
