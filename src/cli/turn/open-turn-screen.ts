import type { CommandContext } from "../define-command.ts";
import { createTurnView, type TurnView, type TurnViewOptions } from "./turn-view.ts";

/** The terminal of a turn, which questions interrupt. */
export interface TurnScreen {
  readonly view: TurnView;
  /** Prints and notices for all of the turn but its questions: while one is open they are kept, and shown after it. */
  readonly context: CommandContext;
  /** Leaves the terminal to a question until the function is called that this gives. */
  readonly onAsk: () => () => void;
}

export function openTurnScreen(context: CommandContext, options: TurnViewOptions = {}): TurnScreen {
  let kept: (() => Promise<void> | void)[] | undefined;
  const shown: CommandContext = {
    ...context,
    async print(...said) {
      if (kept) kept.push(() => context.print(...said));
      else await context.print(...said);
    },
    notice(line) {
      if (kept) kept.push(() => context.notice(line));
      else context.notice(line);
    },
  };
  const view = createTurnView(shown, options);
  const onAsk = (): (() => void) => {
    const resume = view.pause();
    kept ??= [];
    return () => {
      const saying = kept ?? [];
      kept = undefined;
      // Each hands its text on at once: what is said from now on comes after it.
      for (const say of saying) void say();
      resume();
    };
  };
  return { view, context: shown, onAsk };
}
