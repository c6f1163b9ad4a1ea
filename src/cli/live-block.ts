import { SPINNER_FRAMES, widthOf, type Terminal } from "../terminal/index.ts";
import type { CommandContext } from "./define-command.ts";

const REDRAW_MS = 100;

/** A block of lines that is drawn over itself for as long as something goes on. */
export interface LiveBlock {
  /** Draws it now, and from then on ten times a second. */
  update(): void;
  /** Draws it for the last time, with other lines. */
  end(text: string): void;
  /** Takes it away, so that something else can be shown; what this gives goes on with it. */
  pause(): () => void;
}

/** `render` gives the lines, each with its end, for the frame of the spinner that is shown. */
export function createLiveBlock(
  { print, terminal }: Pick<CommandContext, "print" | "terminal">,
  render: (frame: string) => string,
): LiveBlock {
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let drawn: readonly string[] = [];

  const draw = (text: string): void => {
    void print(`${goUp(drawn, terminal)}${text}`);
    drawn = text.split("\n").slice(0, -1);
  };
  const redraw = (): void => {
    frame = (frame + 1) % SPINNER_FRAMES.length;
    draw(render(SPINNER_FRAMES[frame] ?? ""));
  };
  const update = (): void => {
    timer ??= setInterval(redraw, REDRAW_MS);
    redraw();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    update,
    end(text) {
      stop();
      draw(text);
    },
    pause() {
      stop();
      draw("");
      return update;
    },
  };
}

/** Back to the first line of what was drawn, which is wiped out; lines that a narrower window has broken count as more. */
function goUp(drawn: readonly string[], { columns }: Terminal): string {
  const lines = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  return lines === 0 ? "" : `\r\u001b[${lines}A\u001b[0J`;
}
