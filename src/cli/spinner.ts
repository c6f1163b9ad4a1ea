import type { Clock } from "../core/index.ts";
import { formatElapsed } from "./format-amounts.ts";
import { fitLine } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";

/** What moves while something is waited for, picture by picture. */
export const SPINNER_FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const CLEAR_LINE = "\r\u001b[2K";

/** A line that moves while something is waited for. It is not clack's, which takes Ctrl-C away from the command. */
interface Spinner {
  /** Shows a label, with the time since it is shown; the same label goes on counting. */
  start(label: string): void;
  /** Takes the line away. */
  stop(): void;
}

/** Makes a spinner that draws with `write`. */
export function createSpinner(write: (text: string) => void, terminal: Terminal, clock: Clock): Spinner {
  let timer: NodeJS.Timeout | undefined;
  let label = "";
  let sinceMs = 0;
  let frame = 0;

  const draw = (): void => {
    const elapsedMs = clock.now() - sinceMs;
    const time = elapsedMs < 1000 ? "" : `  ${formatElapsed(elapsedMs)}`;
    const text = fitLine(`${label}${time}`, terminal.columns - 5);
    frame = (frame + 1) % SPINNER_FRAMES.length;
    write(`${CLEAR_LINE}  ${terminal.colors.cyan(SPINNER_FRAMES[frame] ?? "")} ${terminal.colors.dim(text)}`);
  };

  return {
    start(next) {
      if (timer && next === label) return;
      if (!timer || next !== label) sinceMs = clock.now();
      label = next;
      timer ??= setInterval(draw, 80);
      draw();
    },
    stop() {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      write(CLEAR_LINE);
    },
  };
}
