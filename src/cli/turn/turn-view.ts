import { homedir } from "node:os";
import {
  systemClock,
  type SkeinEvent,
  type TextDeltaEvent,
  type TextEvent,
  type TurnStartEvent,
} from "../../core/internal.ts";
import type { CommandContext } from "../define-command.ts";
import {
  createPlainTextStream,
  plainLine,
  plainText,
  createSpinner,
  type Terminal,
  toolLine,
  toolTitle,
} from "../../terminal/index.ts";

export interface TurnView {
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

/** Shows turns on a terminal: text as it is written, a spinner while waiting, a line for each tool. */
function createLiveView(context: CommandContext): TurnView {
  const { terminal } = context;
  const screen = createLiveScreen(context);
  const running = new Map<string, { readonly label: string; readonly title: string }>();
  let cwd: string | undefined;

  const wait = (label = "Thinking"): void => screen.wait([...running.values()].at(-1)?.label ?? label);

  const showText = async (event: TextDeltaEvent | TextEvent): Promise<void> => {
    if (event.parentToolUseId !== undefined) return;
    // A whole block follows its pieces; where there were none, it is shown itself.
    if (event.type === "text" && (await screen.endText())) return;
    await screen.addText(event.text);
    if (event.type === "text") await screen.endText();
  };

  const show = async (event: SkeinEvent): Promise<void> => {
    switch (event.type) {
      case "turn-start":
        await screen.heading(cwd === undefined ? turnHeading(event, terminal) : "");
        cwd = event.cwd;
        return wait();
      case "text-delta":
      case "text":
        return await showText(event);
      case "tool-start": {
        const title = toolTitle(event.input, cwd ?? "");
        running.set(event.toolUseId, { title, label: `${plainLine(event.tool)} ${title}` });
        await screen.endText();
        return wait();
      }
      case "tool-end": {
        const title = running.get(event.toolUseId)?.title ?? "";
        running.delete(event.toolUseId);
        await screen.toolLine(toolLine(event, title, terminal));
        return wait();
      }
      case "status":
        return wait(statusLabel(event.status, event.detail));
      case "thinking":
      case "thinking-delta":
      case "tool-input-delta":
        return wait();
      case "turn-end":
        screen.still();
        return void (await screen.endText());
      case "signature-delta":
      case "usage":
      case "error":
      case "state-recorded":
      case "unknown":
      case "custom":
        return;
    }
  };
  return { begin: () => wait("Starting Claude Code"), show, pause: screen.yield, end: screen.still };
}

/** The terminal while a turn runs: finished lines above, at the bottom text that grows or a line that moves. Paragraphs and runs of tool lines are kept apart by an empty line. */
function createLiveScreen(context: CommandContext) {
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
    async heading(line: string) {
      spinner.stop();
      last = undefined;
      await print(line);
    },
    async addText(piece: string) {
      spinner.stop();
      await print(isInsideText ? plain(piece) : `\n${plain(piece)}`);
      isInsideText = true;
      last = "text";
    },
    endText,
    async toolLine(line: string) {
      spinner.stop();
      await endText();
      await print(last === "tool" ? line : `\n${line}`);
      last = "tool";
    },
    wait(label: string) {
      if (!isInsideText && !kept) spinner.start(label);
    },
    still: () => spinner.stop(),
    /** Leaves the terminal to a question: what is printed meanwhile is kept until the function is called that this gives. */
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

/** Most states of the engine are details of thinking; a retry is worth telling. */
function statusLabel(status: string, detail: string | undefined): string {
  return status === "api_retry" ? plainLine(`Retrying ${detail ?? ""}`) : "Thinking";
}

/** Shows turns as whole lines without control characters, for files and pipes. */
function createPlainView({ print, terminal }: CommandContext): TurnView {
  const titles = new Map<string, string>();
  let cwd: string | undefined;
  let last: "text" | "tool" | undefined;

  /** Paragraphs and runs of tool lines are kept apart by an empty line. */
  const printPart = async (kind: "text" | "tool", text: string): Promise<void> => {
    await print(kind === "tool" && last === "tool" ? text : `\n${text}`);
    last = kind;
  };

  const show = async (event: SkeinEvent): Promise<void> => {
    if (event.type === "turn-start") {
      if (cwd === undefined) await print(turnHeading(event, terminal));
      cwd = event.cwd;
      last = undefined;
    } else if (event.type === "text" && event.parentToolUseId === undefined) {
      await printPart("text", `${plainText(event.text).trim()}\n`);
    } else if (event.type === "tool-start") {
      titles.set(event.toolUseId, toolTitle(event.input, cwd ?? ""));
    } else if (event.type === "tool-end") {
      await printPart("tool", toolLine(event, titles.get(event.toolUseId) ?? "", terminal));
    }
  };
  return { begin: () => {}, show, pause: () => () => {}, end: () => {} };
}

/** The line above a turn: which model works where, and what it may do. */
function turnHeading(start: TurnStartEvent, { colors }: Terminal): string {
  const place = start.cwd.startsWith(`${homedir()}/`) ? `~${start.cwd.slice(homedir().length)}` : start.cwd;
  return `${colors.dim(`${plainLine(start.model)} · ${plainLine(place)} · ${start.permissionMode}`)}\n`;
}
