import { systemClock } from "../../core/internal.ts";
import type { TeamEvent } from "../../team/internal.ts";
import {
  dotted,
  formatElapsed,
  formatNumberOf,
  formatTable,
  formatUsd,
  plainLine,
  type Column,
  type Terminal,
} from "../../terminal/index.ts";
import type { CommandContext } from "../define-command.ts";
import { createLiveBlock } from "../live-block.ts";
import { addToBoard, type Board, type BoardItem } from "./team-board.ts";

/** What a person sees of a team while it works. */
export interface TeamView {
  show(event: TeamEvent): Promise<void>;
  /** Leaves the terminal to a question; what this gives goes on. */
  pause(): () => void;
  end(): Promise<void>;
}

/** The view that fits: a board that moves on a terminal, a line for each thing that happens elsewhere, nothing in the JSON formats. */
export function createTeamView(context: CommandContext): TeamView {
  if (context.format !== "text") return { show: async () => {}, pause: () => () => {}, end: async () => {} };
  return context.terminal.isLive ? createLiveBoard(context) : createPlainView(context);
}

function createLiveBoard(context: CommandContext): TeamView {
  const { terminal, print } = context;
  const startedMs = systemClock.now();
  let board: Board = { phase: "plan", items: [], costUsd: 0 };
  const lines = (frame: string): string =>
    `${formatBoard(board, { terminal, frame })}  ${terminal.colors.dim(sums(board, systemClock.now() - startedMs))}\n`;
  const block = createLiveBlock(context, lines);
  return {
    async show(event) {
      if (event.type === "team-start") await print(`${terminal.colors.dim(heading(event))}\n\n`);
      board = addToBoard(board, event);
      block.update();
    },
    pause: () => block.pause(),
    end: async () => block.end(formatBoard(board, { terminal, frame: "" })),
  };
}

function createPlainView({ print, terminal }: CommandContext): TeamView {
  let board: Board = { phase: "plan", items: [], costUsd: 0 };
  return {
    async show(event) {
      board = addToBoard(board, event);
      const line = lineOf(event);
      if (line !== undefined) await print(`  ${line}\n`);
    },
    pause: () => () => {},
    async end() {
      await print(`\n${formatBoard(board, { terminal, frame: "" })}`);
    },
  };
}

function heading({ goal, workers, isResumed }: Extract<TeamEvent, { type: "team-start" }>): string {
  return dotted([plainLine(goal), formatNumberOf(workers, "worker"), isResumed && "goes on"]);
}

const COLUMNS: readonly Column[] = [
  { name: "" },
  { name: "Item", narrow: "cut", leastColumns: 14 },
  { name: "Now", narrow: "cut", leastColumns: 16 },
  { name: "Try", align: "right", narrow: "drop" },
  { name: "Cost", align: "right" },
];

function formatBoard({ items, phase }: Board, { terminal, frame }: { terminal: Terminal; frame: string }): string {
  if (items.length === 0) return phase === "plan" ? `  ${frame} The manager makes a plan\n` : "";
  const rows = items.map((item) => [
    signOf(item, terminal, frame),
    plainLine(item.title),
    plainLine(item.now),
    item.attempt === 0 ? "" : `${item.attempt}.${item.round}`,
    item.costUsd === 0 ? "" : item.isOffline ? "offline" : formatUsd(item.costUsd),
  ]);
  return formatTable({ columns: COLUMNS, rows }, terminal);
}

function signOf({ status }: BoardItem, { colors }: Terminal, frame: string): string {
  switch (status) {
    case "merged":
      return colors.green("✓");
    case "escalated":
    case "blocked":
      return colors.red("✗");
    case "skipped":
    case "replaced":
      return colors.dim("–");
    case "waiting":
      return colors.dim("·");
    case "working":
    case "reviewing":
    case "integrating":
      return colors.cyan(frame || "•");
  }
}

function sums({ items, phase, costUsd }: Board, elapsedMs: number): string {
  const count = (status: BoardItem["status"]): number => items.filter((item) => item.status === status).length;
  return dotted([
    phase,
    items.length > 0 && `${count("merged")} of ${items.length} merged`,
    costUsd > 0 && (items.some(({ isOffline }) => isOffline) ? "offline" : formatUsd(costUsd)),
    formatElapsed(elapsedMs),
  ]);
}

/** What happened as one line for a file or a pipe; undefined of what says nothing by itself. */
function lineOf(event: TeamEvent): string | undefined {
  switch (event.type) {
    case "team-start":
      return heading(event);
    case "plan-made":
      return `Plan: ${event.items.map(({ id }) => id).join(", ")}`;
    case "plan-refused":
      return `Plan refused: ${plainLine(event.problem)}`;
    case "item-started":
      return `${event.item} begun: ${plainLine(event.title)}`;
    case "verdict":
      return event.verdict.approved
        ? `${event.item} approved by the ${event.by}`
        : `${event.item} sent back by the ${event.by}: ${plainLine(event.verdict.issues[0]?.split("\n")[0] ?? "")}`;
    case "item-stuck":
      return `${event.item} does not get on: ${event.reason}`;
    case "remedy-chosen":
      return `${event.item}: ${event.remedy.action}, ${plainLine(event.remedy.reason)}`;
    case "item-conflict":
      return `${event.item} conflicts with others' work${event.paths.length > 0 ? ` in ${event.paths.map(plainLine).join(", ")}` : ": the gates fail on both together"}`;
    case "item-merged":
      return `${event.item} merged`;
    case "item-ended":
      return event.status === "merged" ? undefined : `${event.item} ${event.status}: ${plainLine(event.reason)}`;
    case "escalated":
      return `A person is asked about ${event.question.item ?? "the plan"}`;
    case "answered":
      return `Answer: ${event.answer.choice}`;
    case "phase-changed":
    case "worker-finished":
    case "evidence-gathered":
    case "team-end":
      return undefined;
  }
}
