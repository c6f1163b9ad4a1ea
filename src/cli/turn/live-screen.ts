import { systemClock } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { createPlainTextStream } from "../plain-text.ts";
import { createSpinner } from "../spinner.ts";

/** The terminal while a turn runs: finished lines above, at the bottom text that grows or a line that moves. */
interface LiveScreen {
  /** Prints a line by itself and begins anew below it. */
  heading(line: string): Promise<void>;
  /** Adds to the paragraph at the bottom. */
  addText(piece: string): Promise<void>;
  /** Ends the paragraph at the bottom; false when there is none. */
  endText(): Promise<boolean>;
  /** Prints the line of a tool. */
  toolLine(line: string): Promise<void>;
  /** Shows what is waited for, unless text is growing. */
  wait(label: string): void;
  /** Takes away what moves. */
  still(): void;
  /** Leaves the terminal to a question: what is printed meanwhile is kept for later, until the function is called that this gives. */
  yield(): () => void;
}

/** Makes the screen. Paragraphs and runs of tool lines are kept apart by an empty line. */
export function createLiveScreen(context: CommandContext): LiveScreen {
  const { terminal } = context;
  let kept: string[] | undefined;
  const print = async (text: string): Promise<void> => {
    if (kept) kept.push(text);
    else await context.print(text);
  };
  const spinner = createSpinner((text) => void print(text), terminal, systemClock);
  const plain = createPlainTextStream();
  let last: "text" | "tool" | undefined;
  let isInsideText = false;

  const endText = async (): Promise<boolean> => {
    if (!isInsideText) return false;
    isInsideText = false;
    await print("\n");
    return true;
  };

  return {
    async heading(line) {
      spinner.stop();
      last = undefined;
      await print(line);
    },
    async addText(piece) {
      spinner.stop();
      await print(isInsideText ? plain(piece) : `\n${plain(piece)}`);
      isInsideText = true;
      last = "text";
    },
    endText,
    async toolLine(line) {
      spinner.stop();
      await endText();
      await print(last === "tool" ? line : `\n${line}`);
      last = "tool";
    },
    wait(label) {
      if (!isInsideText && !kept) spinner.start(label);
    },
    still: () => spinner.stop(),
    yield() {
      spinner.stop();
      kept ??= [];
      return () => {
        const texts = kept ?? [];
        kept = undefined;
        void print(texts.join(""));
      };
    },
  };
}
