import { messageOf } from "../../core/internal.ts";
import type { Completion, CompletionChecker, CompletionContext } from "./completion-checker.ts";

const NOT_DONE = "The task is not done yet.";

/** Sends the agent back to work at most so many times; where `isOver`, there is nothing to go on with and nobody is asked. */
export function createCompletionGate(
  checkers: readonly CompletionChecker[],
  context: Omit<CompletionContext, "output" | "text">,
  { maxRounds, isOver }: { readonly maxRounds: number; readonly isOver: () => boolean },
) {
  let last: Completion | undefined;
  let rounds = 0;
  /** Gives the reason, or nothing where the agent was sent back too often. */
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
    /** Asks the checkers. Gives what the agent is to be told where it has to go on. */
    async ask(answer: Pick<CompletionContext, "output" | "text">): Promise<string | undefined> {
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
      return { complete: false, feedback: `${NOT_DONE} It could not be checked: ${messageOf(error)}` };
    }
  }
  return { complete: true };
}
