import type { SkeinEvent, TurnResult } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { countTool, type ToolCount } from "./tool-tally.ts";
import type { TurnView } from "./turn-view.ts";

/** Where the events of a turn go. */
export interface EventSinks {
  readonly view: TurnView;
  readonly context: CommandContext;
  /** A line for standard error, once the turn has begun. */
  readonly notice?: string;
}

/** What a turn's events came to. */
export interface ShownTurn<Value> {
  /** What the events ended in. */
  readonly value: Value;
  /** What the turn itself ended with; none where it never got so far. */
  readonly result: TurnResult | undefined;
  readonly tools: readonly ToolCount[];
}

/** Shows and emits the events of a turn as they come, and counts its tools. */
export async function showEvents<Value>(
  events: AsyncGenerator<SkeinEvent, Value, void>,
  { view, context, notice }: EventSinks,
): Promise<ShownTurn<Value>> {
  let tools: readonly ToolCount[] = [];
  let result: TurnResult | undefined;
  view.begin();
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return { value, result, tools };
      if (value.type === "turn-start" && notice !== undefined) {
        view.pause();
        context.notice(notice);
      }
      if (value.type === "turn-end") ({ result } = value);
      tools = countTool(tools, value);
      await context.emit(value);
      await view.show(value);
    }
  } finally {
    view.pause();
  }
}
