import type { Completion, CompletionChecker, CompletionContext } from "./completion-checker.ts";

/** What there is of an answer when the agent wants to stop. */
export type Answer = Pick<CompletionContext, "output" | "text">;

/** Decides whether the agent may stop, and sends it back to work at most so many times. */
export interface CompletionGate {
  /** What the checkers said last; undefined where nobody was asked. */
  readonly last: Completion | undefined;
  /** Asks the checkers. Gives what the agent is to be told where it has to go on. */
  ask(answer: Answer): Promise<string | undefined>;
  /** Sends the agent back for another reason; gives the reason, or nothing where it was sent back too often. */
  sendBack(reason: string): string | undefined;
}

const NOT_DONE = "The task is not done yet.";

/** Makes the gate of one evaluation. `isOver` says that there is nothing left to go on with: then nobody is asked. */
export function createCompletionGate(
  checkers: readonly CompletionChecker[],
  {
    maxRounds,
    context,
    isOver,
  }: {
    readonly maxRounds: number;
    readonly context: Omit<CompletionContext, "output" | "text">;
    readonly isOver: () => boolean;
  },
): CompletionGate {
  let last: Completion | undefined;
  let rounds = 0;
  const sendBack = (reason: string): string | undefined => {
    if (rounds >= maxRounds || isOver()) return undefined;
    rounds += 1;
    return reason;
  };
  return {
    get last() {
      return last;
    },
    sendBack,
    async ask(answer) {
      if (checkers.length === 0 || isOver()) return undefined;
      last = await askAll(checkers, { ...context, ...answer });
      return last.complete ? undefined : sendBack(last.feedback ?? NOT_DONE);
    },
  };
}

/** The first that is not satisfied speaks for all. What a checker throws counts as not done. */
async function askAll(checkers: readonly CompletionChecker[], context: CompletionContext): Promise<Completion> {
  for (const checker of checkers) {
    try {
      const found = await checker.check(context);
      if (!found.complete) return found;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { complete: false, feedback: `${NOT_DONE} It could not be checked: ${reason}` };
    }
  }
  return { complete: true };
}
