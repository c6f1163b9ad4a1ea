import type { Clock } from "../core/internal.ts";
import { formatElapsed } from "./format.ts";
import type { Terminal } from "./terminal.ts";
import { fitLine } from "./width.ts";

export const SPINNER_FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const CLEAR_LINE = "\r\u001b[2K";

/** A line that moves while something is waited for, with its time. It is not clack's, which takes Ctrl-C away from the command. */
export function createSpinner(write: (text: string) => void, terminal: Terminal, clock: Clock) {
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
    /** The same label goes on counting. */
    start(next: string): void {
      if (timer && next === label) return;
      sinceMs = clock.now();
      label = next;
      timer ??= setInterval(draw, 80);
      draw();
    },
    stop(): void {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      write(CLEAR_LINE);
    },
  };
}
