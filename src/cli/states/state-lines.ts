import {
  formatReward,
  formatAge,
  fitLine,
  plainLine,
  promptLine,
  widthOf,
  type Terminal,
} from "../../terminal/index.ts";
import { fileCounts } from "../turn/files-data.ts";
import { shortId } from "./short-id.ts";
import type { StateData } from "./state-data.ts";

/** What is told is shown this far at least, however narrow the terminal. */
const LEAST_SUBJECT = 16;
const LEAST_TOOLS = 8;

const GAP = "  ";

/** The line of a state, and its mark or what is drawn before it. */
export interface StateLine {
  readonly before: string;
  /** None for a line that is only drawn. */
  readonly state?: StateData | undefined;
}

/** Lists states in columns: id, age, cost, files, reward, then names with the prompt, and tools. */
export function stateLines(
  lines: readonly StateLine[],
  { terminal, nowMs }: { readonly terminal: Terminal; readonly nowMs: number },
): string {
  const rows = lines.map(({ before, state }) => [before, ...(state ? cellsOf(state, terminal, nowMs) : [])]);
  const left = terminal.columns - GAP.length - widthOfColumns(rows);
  const longest = Math.max(0, ...lines.map(({ state }) => (state ? widthOf(subject(state, terminal, left)) : 0)));
  // Tools take what the prompts leave over, and of long prompts a part.
  const toolsRoom = Math.max(left - longest - GAP.length, Math.floor(left * 0.3), LEAST_TOOLS);
  const tools = lines.map(({ state }) => fitLine(toolsOf(state), toolsRoom));
  const toolsWidth = Math.max(...tools.map(widthOf));
  const room = Math.max(left - toolsWidth - (toolsWidth === 0 ? 0 : GAP.length), LEAST_SUBJECT);
  const told = rows.map((row, index) => {
    const { state } = lines[index] ?? {};
    if (!state) return row;
    return [...row, subject(state, terminal, room), terminal.colors.dim(tools[index] ?? "")];
  });
  return inColumns(told);
}

/** Ages, money and rewards stand to the right, so that they can be compared. */
const RIGHT_COLUMNS = new Set([2, 3, 5]);

function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = columnWidths(rows);
  const lines = rows.map((row) => {
    const cells = row.flatMap((cell, column) => {
      const width = widths[column] ?? 0;
      const space = " ".repeat(width - widthOf(cell));
      return width === 0 ? [] : [RIGHT_COLUMNS.has(column) ? `${space}${cell}` : `${cell}${space}`];
    });
    return `${GAP}${cells[0] ?? ""} ${cells.slice(1).join(GAP)}`;
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
}

function widthOfColumns(rows: readonly (readonly string[])[]): number {
  const [first = 0, ...others] = columnWidths(rows);
  return first + 1 + others.reduce((sum, width) => sum + (width === 0 ? 0 : width + GAP.length), 0);
}

function cellsOf(state: StateData, terminal: Terminal, nowMs: number): string[] {
  const { cyan, dim, yellow } = terminal.colors;
  const { turn } = state;
  const reward = mainReward(state.rewards);
  const counts = turn && { created: turn.files_created, modified: turn.files_modified, deleted: turn.files_deleted };
  return [
    yellow(shortId(state.state_id)),
    dim(formatAge(Date.parse(state.recorded_at), nowMs)),
    // The same number of digits in every line, so that amounts can be compared.
    turn ? dim(turn.offline ? "offline" : `$${turn.cost_usd.toFixed(4)}`) : "",
    counts ? fileCounts(counts, terminal) : "",
    reward === undefined ? "" : cyan(formatReward(reward)),
  ];
}

function subject(state: StateData, terminal: Terminal, columns: number): string {
  const names = stateNames(state, terminal);
  const prefix = names === "" ? "" : `${names} `;
  const room = Math.max(columns - widthOf(prefix), LEAST_SUBJECT);
  const { turn } = state;
  if (!turn) return `${prefix}${terminal.colors.dim(fitLine(KIND_WORDS[state.kind], room))}`;
  return `${prefix}${fitLine(promptLine(turn.prompt), room)}`;
}

function toolsOf(state: StateData | undefined): string {
  const tools = state?.turn?.tools ?? [];
  return tools.map(({ tool, calls }) => `${plainLine(tool)}${calls === 1 ? "" : `×${calls}`}`).join(" ");
}

interface StateOrigin {
  readonly kind: StateData["kind"];
  readonly outcome?: NonNullable<StateData["turn"]>["outcome"] | undefined;
}

/** What is said of a state that no turn led to. */
export const KIND_WORDS = {
  start: "a conversation begins",
  edit: "changed outside a turn",
  turn: "a turn",
  unreadable: "cannot be read: skein show says why",
} as const;

const OUTCOME_SIGNS = { completed: "✓", failed: "✗", cancelled: "⊘", interrupted: "!" } as const;

/** The sign of how a state came about, without colour. */
export function stateSign({ kind, outcome }: StateOrigin): string {
  if (outcome !== undefined) return OUTCOME_SIGNS[outcome];
  return kind === "start" ? "○" : kind === "unreadable" ? "?" : "✎";
}

export function stateMark(origin: StateOrigin, { colors }: Terminal): string {
  const { green, red, yellow, dim } = colors;
  const paints = { completed: green, failed: red, cancelled: yellow, interrupted: yellow };
  return (origin.outcome === undefined ? dim : paints[origin.outcome])(stateSign(origin));
}

/** What a state is called beside its id, as git shows its refs: `(@, before-vue)`. */
export function stateNames(
  { is_here: isHere, checkpoints }: Pick<StateData, "is_here" | "checkpoints">,
  { colors }: Terminal,
): string {
  const names = [...(isHere ? [colors.cyan("@")] : []), ...checkpoints.map((name) => colors.green(name))];
  return names.length === 0 ? "" : `${colors.dim("(")}${names.join(colors.dim(", "))}${colors.dim(")")}`;
}

/** The one number that tells how good a state is: the reward of a search, or the only one there is. */
export function mainReward(rewards: Readonly<Record<string, number>>): number | undefined {
  const [only, ...others] = Object.values(rewards);
  return rewards["reward"] ?? (others.length === 0 ? only : undefined);
}
