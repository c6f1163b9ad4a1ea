import { isCancel, select } from "@clack/prompts";
import type { QuestionAnswer } from "../../../core/internal.ts";
import type { Question, QuestionFace } from "../../../engine/internal.ts";
import { plainLine } from "../../../terminal/index.ts";
import type { CommandContext } from "../../define-command.ts";
import type { CallPlace } from "./describe-call.ts";
import { showCall } from "./show-call.ts";

export interface TerminalFaceOptions extends CallPlace {
  readonly context: CommandContext;
  /** Called before a question is shown; what it gives is called when it is answered. */
  readonly onAsk: () => () => void;
}

/** Asks the person at the terminal, one question at a time. */
export function createTerminalFace(options: TerminalFaceOptions): QuestionFace {
  let previous: Promise<unknown> = Promise.resolve();
  let resume: (() => void) | undefined;
  let [asked, open] = [0, 0];
  return {
    name: "terminal",
    async ask(question, signal) {
      asked += 1;
      open += 1;
      const number = asked;
      const place = (): string => (asked === 1 ? "" : ` (${number} of ${asked})`);
      const answered = previous.then(async () => {
        // The terminal is left to all questions that wait, not given back between them.
        resume ??= options.onAsk();
        try {
          return signal.aborted ? denial(false) : await decide(question, { place, signal }, options);
        } finally {
          open -= 1;
          if (open === 0) {
            asked = 0;
            resume();
            resume = undefined;
          }
        }
      });
      previous = answered.catch(() => {});
      return { answer: await answered, by: "terminal" };
    },
  };
}

interface Asking {
  /** Which it is of those that were asked at once, " (2 of 3)"; nothing where it is alone. */
  readonly place: () => string;
  /** The question is closed: nobody has to answer any more. */
  readonly signal: AbortSignal;
}

async function decide(
  { tool, input, request, rules }: Question,
  { place, signal }: Asking,
  options: TerminalFaceOptions,
): Promise<QuestionAnswer> {
  const shown = await showCall(tool, input, { ...request, signal }, options);
  if (shown.read !== "all") return denial(shown.read === "cancelled");
  const hint = `${plainLine(rules.map(({ text }) => text).join(", "))} in this session`;
  const answer = await select<"yes" | "always" | "no">({
    message: `Allow ${plainLine(tool)}?${place()}`,
    options: [
      { value: "yes", label: "Yes" },
      ...(rules.length === 0 ? [] : [{ value: "always" as const, label: "Always", hint }]),
      { value: "no", label: "No" },
    ],
    // A stray key lets nothing out of the workspace; and whoever leafs through pages with the Enter key has not said yes yet.
    initialValue:
      request.defaultToNo || shown.isRisky || shown.isPaged || !shown.isConfined ? ("no" as const) : ("yes" as const),
    signal,
  });
  if (answer === "yes") return { decision: "allow" };
  if (answer === "always") return { decision: "allow", rules: [...rules.keys()] };
  // In a question the terminal hands Ctrl-C over as a key, not as a signal: the CLI is told to end the turn.
  return denial(isCancel(answer));
}

function denial(interrupt: boolean): QuestionAnswer {
  return { decision: "deny", interrupt };
}
