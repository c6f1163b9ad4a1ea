import type { SkeinEvent } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { createLiveView } from "./live-view.ts";
import { createPlainView } from "./plain-view.ts";

/** Shows the turns of a conversation to people while they happen. */
export interface TurnView {
  /** Says that the agent is being started. */
  begin(): void;
  show(event: SkeinEvent): Promise<void>;
  /** Leaves the terminal to someone else, such as a question, until the function is called that this gives. */
  pause(): () => void;
  /** Takes away what moves: the turn has ended, in whatever way. */
  end(): void;
}

/** The view that fits: streamed on a terminal, whole lines elsewhere, nothing in the JSON formats. */
export function createTurnView(context: CommandContext): TurnView {
  if (context.format !== "text") return { begin: () => {}, show: async () => {}, pause: () => () => {}, end: () => {} };
  return context.terminal.isLive ? createLiveView(context) : createPlainView(context);
}
