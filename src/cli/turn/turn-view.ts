import { homedir } from "node:os";
import {
  systemClock,
  type SkeinEvent,
  type TextDeltaEvent,
  type TextEvent,
  type TurnEndEvent,
  type TurnStartEvent,
} from "../../core/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { createMarkdownStream } from "../../page/index.ts";
import { plainLine, plainText, createSpinner, type Terminal, toolLine, toolTitle } from "../../terminal/index.ts";

export interface TurnView {
  begin(): void;
  show(event: SkeinEvent): Promise<void>;
  /** Keeps still, because a question is open, until the function is called that this gives. */
  pause(): () => void;
  /** Takes away what moves: the turn has ended, in whatever way. */
  end(): void;
}

export interface TurnViewOptions {
  /** Whether the offline model answers: it is named, and not the model that it stands for. */
  readonly isOffline?: boolean;
}

/** The view that fits: streamed on a terminal, whole lines elsewhere, nothing in the JSON formats. */
export function createTurnView(context: CommandContext, options: TurnViewOptions = {}): TurnView {
  if (context.format !== "text") return { begin: () => {}, show: async () => {}, pause: () => () => {}, end: () => {} };
  return context.terminal.isLive ? createLiveView(context, options) : createPlainView(context, options);
}

/** Shows turns on a terminal: each block of text once it is written, a line that moves while waiting, a line for each tool. */
function createLiveView(context: CommandContext, options: TurnViewOptions): TurnView {
  const { terminal } = context;
  const screen = createLiveScreen(context);
  const running = new Map<string, { readonly label: string; readonly title: string }>();
  let cwd: string | undefined;

  const wait = (label = "Thinking"): void => screen.wait([...running.values()].at(-1)?.label ?? label);

  const showText = async (event: TextDeltaEvent | TextEvent): Promise<void> => {
    if (event.parentToolUseId !== undefined) return;
    // A whole block follows its pieces; where there were none, it is shown itself.
    if (event.type === "text" && (await screen.endText())) return wait();
    await screen.addText(event.text);
    if (event.type === "text") await screen.endText();
    wait(event.type === "text" ? undefined : "Writing");
  };

  const show = async (event: SkeinEvent): Promise<void> => {
    switch (event.type) {
      case "turn-start":
        await screen.heading(cwd === undefined ? turnHeading(event, terminal, options) : "");
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
      case "tool-end":
        await screen.toolLine(toolLine(event, running.get(event.toolUseId)?.title ?? "", terminal));
        running.delete(event.toolUseId);
        return wait();
      case "status":
        return wait(statusLabel(event.status, event.detail));
      case "thinking":
      case "thinking-delta":
      case "tool-input-delta":
      case "question-answered":
        return wait();
      case "question-asked":
        return event.askedOn === "remote" ? screen.wait(`Waiting for an answer: ${plainLine(event.tool)}`) : undefined;
      case "turn-end":
        await screen.endText();
        await screen.printBlocks(answerBlocks(event));
        return screen.still();
      case "signature-delta":
      case "usage":
      case "error":
      case "state-recorded":
      case "unknown":
      case "custom":
        return;
    }
  };
  return { begin: () => wait("Starting Claude Code"), show, pause: screen.pause, end: screen.still };
}

/** The terminal while a turn runs: finished lines above, at the bottom a line that moves. Blocks of text and runs of tool lines are kept apart by an empty line. */
function createLiveScreen({ print, terminal }: CommandContext) {
  const spinner = createSpinner((text) => void print(text), terminal, systemClock);
  const markdown = createMarkdownStream(terminal);
  let last: "text" | "tool" | undefined;
  let [isInsideText, isPaused] = [false, false];
  let waitedFor: string | undefined;

  const printBlocks = async (blocks: readonly string[]): Promise<void> => {
    if (blocks.length === 0) return;
    spinner.stop();
    last = "text";
    await print(blocks.map((block) => `\n${block}`).join(""));
  };

  const endText = async (): Promise<boolean> => {
    if (!isInsideText) return false;
    isInsideText = false;
    await printBlocks(markdown.end());
    return true;
  };

  return {
    async heading(line: string) {
      spinner.stop();
      last = undefined;
      await print(line);
    },
    async addText(piece: string) {
      isInsideText = true;
      await printBlocks(markdown.add(piece));
    },
    endText,
    printBlocks,
    async toolLine(line: string) {
      spinner.stop();
      await endText();
      await print(last === "tool" ? line : `\n${line}`);
      last = "tool";
    },
    wait(label: string) {
      waitedFor = label;
      if (!isPaused) spinner.start(label);
    },
    still() {
      waitedFor = undefined;
      spinner.stop();
    },
    /** Nothing moves until the function is called that this gives. */
    pause() {
      isPaused = true;
      spinner.stop();
      // What comes next is kept apart from the question.
      last = undefined;
      return () => {
        isPaused = false;
        if (waitedFor !== undefined) spinner.start(waitedFor);
      };
    },
  };
}

/** Most states of the engine are details of thinking; a retry is worth telling. */
function statusLabel(status: string, detail: string | undefined): string {
  return status === "api_retry" ? plainLine(`Retrying ${detail ?? ""}`) : "Thinking";
}

/** Shows turns as whole lines without control characters, for files and pipes. */
function createPlainView({ print, terminal }: CommandContext, options: TurnViewOptions): TurnView {
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
      if (cwd === undefined) await print(turnHeading(event, terminal, options));
      cwd = event.cwd;
      last = undefined;
    } else if (event.type === "text" && event.parentToolUseId === undefined) {
      await printPart("text", `${plainText(event.text).trim()}\n`);
    } else if (event.type === "tool-start") {
      titles.set(event.toolUseId, toolTitle(event.input, cwd ?? ""));
    } else if (event.type === "tool-end") {
      await printPart("tool", toolLine(event, titles.get(event.toolUseId) ?? "", terminal));
    } else if (event.type === "turn-end") {
      for (const answer of answerBlocks(event)) await printPart("text", answer);
    }
  };
  return { begin: () => {}, show, pause: () => () => {}, end: () => {} };
}

/** An answer in the shape that was asked for, which the model gave to a tool and said to nobody. */
function answerBlocks({ result: { structuredOutput } }: TurnEndEvent): readonly string[] {
  return structuredOutput === undefined ? [] : [`${plainText(JSON.stringify(structuredOutput, null, 2))}\n`];
}

/** The line above a turn: which model works where, and what it may do. */
function turnHeading(start: TurnStartEvent, { colors }: Terminal, { isOffline = false }: TurnViewOptions): string {
  const place = start.cwd.startsWith(`${homedir()}/`) ? `~${start.cwd.slice(homedir().length)}` : start.cwd;
  const model = isOffline ? "offline model" : plainLine(start.model);
  return `${colors.dim(`${model} · ${plainLine(place)} · ${start.permissionMode}`)}\n`;
}
