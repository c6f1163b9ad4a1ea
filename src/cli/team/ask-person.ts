import { isCancel, select, text } from "@clack/prompts";
import type { TeamAnswer, TeamQuestion } from "../../team/internal.ts";
import { plainText, wrapText } from "../../terminal/index.ts";
import type { CommandContext } from "../define-command.ts";

const CHOICES = {
  approve: { label: "Approve", hint: "as it is" },
  retry: { label: "Try again", hint: "and say what to do differently" },
  skip: { label: "Leave it out", hint: "nothing depends on it" },
  stop: { label: "End the team", hint: "what is merged stays" },
} as const;

type Choice = keyof typeof CHOICES;

/** Asks the person at the terminal about a plan or an item, one question at a time. `pause` takes what moves off the screen meanwhile. */
export function createPersonAtTerminal({ print, terminal }: CommandContext, pause: () => () => void) {
  let previous: Promise<unknown> = Promise.resolve();

  async function decide({ kind, text: shown, choices }: TeamQuestion, signal: AbortSignal): Promise<TeamAnswer> {
    const goOn = pause();
    try {
      const lines = plainText(shown)
        .split("\n")
        .flatMap((line) => wrapText(line, Math.min(terminal.columns, 100) - 2));
      await print(`\n${lines.map((line) => `  ${line}`).join("\n")}\n\n`);
      const offered = choices.filter((choice): choice is Choice => choice in CHOICES);
      const choice = await select<Choice>({
        message: kind === "plan" ? "Follow this plan?" : "What becomes of it?",
        options: offered.map((value) => ({ value, ...CHOICES[value] })),
        signal,
      });
      if (isCancel(choice)) return { choice: signal.aborted ? "unanswered" : "stop" };
      if (choice !== "retry") return { choice };
      const said = await text({ message: "What should be done differently?", signal });
      return isCancel(said) ? { choice: "stop" } : { choice, message: said };
    } finally {
      goOn();
    }
  }

  return async (question: TeamQuestion, signal: AbortSignal): Promise<TeamAnswer> => {
    const answered = previous.then(() =>
      signal.aborted ? ({ choice: "unanswered" } as const) : decide(question, signal),
    );
    previous = answered.catch(() => undefined);
    return await answered;
  };
}
