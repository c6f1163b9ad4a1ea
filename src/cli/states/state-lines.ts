import {
  type Column,
  formatReward,
  formatTable,
  formatUsdColumn,
  formatWhen,
  plainLine,
  promptLine,
  type Terminal,
  treeLines,
} from "../../terminal/index.ts";
import { fileCounts } from "../turn/file-lines.ts";
import type { Fold, Ranking } from "./rank-branches.ts";
import { shortId } from "./short-id.ts";
import type { StateData } from "./state-data.ts";

/** The line of a state, and its mark or what is drawn before it. */
export interface StateLine {
  readonly before: string;
  /** None for a line that is only drawn. */
  readonly state?: StateData | undefined;
  /** What is told in a line without a state. */
  readonly text?: string | undefined;
}

const LEAST_PROMPT = 24;

interface StateTextOptions {
  readonly terminal: Terminal;
  /** Whether what the offline model did is told by the price list. */
  readonly includesOffline: boolean;
}

/** Lists states in a table: id, age, reward, cost, files, then names with the prompt, and tools. */
export function stateTable(
  lines: readonly StateLine[],
  { terminal, includesOffline, nowMs }: StateTextOptions & { readonly nowMs: number },
): string {
  const costs = costCells(
    lines.map(({ state }) => state),
    includesOffline,
  );
  const rows = lines.map(({ before, state, text = "" }, index) =>
    state
      ? [
          before,
          terminal.colors.yellow(shortId(state.state_id)),
          terminal.colors.dim(formatWhen(Date.parse(state.recorded_at), nowMs, terminal)),
          ...figures(state, costs[index] ?? "", terminal),
          subject(state, terminal),
          terminal.colors.dim(toolsOf(state)),
        ]
      : [before, "", "", "", "", "", terminal.colors.dim(text), ""],
  );
  const columns: readonly Column[] = [
    { name: "" },
    { name: "State" },
    { name: "When", align: "right", narrow: "drop" },
    ...FIGURES,
    { name: "Prompt", narrow: "cut", leastColumns: LEAST_PROMPT },
    { name: "Tools", narrow: "drop" },
  ];
  return formatTable({ columns, rows }, terminal);
}

const FIGURES = [
  { name: "Reward", align: "right" },
  { name: "Cost", align: "right", narrow: "drop" },
  { name: "Files", narrow: "drop" },
] as const;

/** Money of the same number of digits; a turn of the offline model cost none. */
function costCells(states: readonly (StateData | undefined)[], includesOffline: boolean): readonly string[] {
  const isFree = (state: StateData | undefined): boolean => state?.turn?.offline === true && !includesOffline;
  const paid = formatUsdColumn(states.map((state) => (isFree(state) ? null : state?.turn?.cost_usd)));
  return states.map((state, index) => (isFree(state) ? "offline" : (paid[index] ?? "")));
}

function figures({ rewards, turn }: StateData, cost: string, terminal: Terminal): readonly string[] {
  const reward = mainReward(rewards);
  const counts = turn && { created: turn.files_created, modified: turn.files_modified, deleted: turn.files_deleted };
  return [
    reward === undefined ? "" : terminal.colors.cyan(formatReward(reward)),
    terminal.colors.dim(cost),
    counts ? fileCounts(counts, terminal) : "",
  ];
}

function subject(state: StateData, terminal: Terminal): string {
  const names = stateNames(state, terminal);
  const { turn, kind } = state;
  const told = turn ? promptLine(turn.prompt) : terminal.colors.dim(KIND_WORDS[kind]);
  return names === "" ? told : `${names} ${told}`;
}

function toolsOf({ turn }: StateData): string {
  return (turn?.tools ?? []).map(({ tool, calls }) => `${plainLine(tool)}${calls === 1 ? "" : `×${calls}`}`).join(" ");
}

/** Lists states as a tree, from the top down; the path to the best reward has a star. */
export function stateTree(
  states: readonly StateData[],
  { terminal, includesOffline, ranking }: StateTextOptions & { readonly ranking: Ranking },
): string {
  const byId = new Map(states.map((state) => [state.state_id, state]));
  const costs = new Map(costCells(states, includesOffline).map((cost, index) => [states[index]?.state_id, cost]));
  const best = new Set(ranking.bestPath);
  const { bold, dim, green, yellow } = terminal.colors;
  const lines = treeLines<string | Fold>(ranking.roots, (item) => {
    const fold = typeof item === "string" ? ranking.foldOf(item) : undefined;
    return typeof item === "string" ? [...ranking.childrenOf(item), ...(fold ? [fold] : [])] : [];
  });
  const rows = lines.map(({ branch, item }) => {
    if (typeof item !== "string")
      return [
        "",
        `${dim(branch)}…`,
        "",
        "",
        "",
        dim(foldWords({ branches: item.branches, best_reward: item.bestReward ?? null })),
      ];
    const state = byId.get(item);
    if (!state) return [];
    const id = shortId(item);
    const drawn = `${dim(branch)}${markOf(state, terminal)} ${best.has(item) ? bold(yellow(id)) : yellow(id)}`;
    return [
      best.has(item) ? green("★") : "",
      drawn,
      ...figures(state, costs.get(item) ?? "", terminal),
      subject(state, terminal),
    ];
  });
  const columns: readonly Column[] = [
    { name: "" },
    { name: "State" },
    ...FIGURES,
    { name: "Prompt", narrow: "cut", leastColumns: LEAST_PROMPT },
  ];
  return formatTable({ columns, rows }, terminal);
}

/** `14 more branches, best 0.80`. */
export function foldWords(fold: { readonly branches: number; readonly best_reward: number | null }): string {
  const { branches, best_reward: reward } = fold;
  const best = reward === null ? "" : `, best ${formatReward(reward)}`;
  return `${branches} more branches${best}`;
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

export function markOf({ kind, turn }: StateData, terminal: Terminal): string {
  return stateMark({ kind, outcome: turn?.outcome }, terminal);
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
