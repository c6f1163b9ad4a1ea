import { FilesData } from "../../protocol/index.ts";
import { z } from "zod";
import { ownValue } from "../../core/internal.ts";
import {
  formatCount,
  formatDuration,
  formatReward,
  formatTable,
  plainLine,
  promptLine,
  type Terminal,
} from "../../terminal/index.ts";
import { fileCounts } from "../turn/file-lines.ts";
import { costFields, paidText } from "../turn/paid-cost.ts";
import { ToolCallsData } from "../turn/turn-data.ts";
import { costLine } from "../turn/turn-summary.ts";
import { shortId } from "./short-id.ts";
import { StateData } from "./state-data.ts";
import { KIND_WORDS, markOf, stateNames } from "./state-lines.ts";

/** One of two states that are compared. */
export const Side = z.strictObject({
  state: StateData.describe("The state itself"),
  turns: z
    .int()
    .describe("How many turns it took from the state that both come from; the numbers beside it are theirs together"),
  ...costFields,
  duration_ms: z.number().describe("How long those turns took together, in milliseconds"),
  tokens: z.int().describe("Tokens of those turns, read and written"),
  tools: z.array(ToolCallsData).describe("The tools that those turns called"),
  files: FilesData.describe("What is different from the state that both come from"),
  lines_added: z.int().describe("Lines that were added since that state"),
  lines_removed: z.int().describe("Lines that were removed since that state"),
});
export type Side = z.infer<typeof Side>;

const Better = z.enum(["left", "right"]).nullable();
type Better = z.infer<typeof Better>;

/** The better side by each figure: a higher reward; less money, time, tokens, failed calls. Null where they are equal, only one has it, or one took no turn. */
export const BetterData = z.strictObject({
  rewards: z.record(z.string(), Better).describe("The side whose reward is higher, by the reward's name"),
  cost_usd: Better.describe("The side that cost less"),
  duration_ms: Better.describe("The side that took less time"),
  tokens: Better.describe("The side that used fewer tokens"),
  tool_errors: Better.describe("The side with fewer failed tool calls"),
});
type BetterData = z.infer<typeof BetterData>;

export function betterSides(left: Side, right: Side): BetterData {
  // The state that the other one came from took nothing: that is no merit.
  const isRace = left.turns > 0 && right.turns > 0;
  const less = (of: (side: Side) => number): Better => (isRace ? moreOf(-of(left), -of(right)) : null);
  return {
    rewards: Object.fromEntries(
      rewardNames(left, right).map((name) => [
        name,
        moreOf(ownValue(left.state.rewards, name), ownValue(right.state.rewards, name)),
      ]),
    ),
    // Of turns that nobody paid for, the price list decides.
    cost_usd: less((side) => side.cost_usd + (side.includes_offline ? 0 : side.offline_cost_usd)),
    duration_ms: less(({ duration_ms: ms }) => ms),
    tokens: less(({ tokens }) => tokens),
    tool_errors: less(errorsOf),
  };
}

function moreOf(left: number | undefined, right: number | undefined): Better {
  if (left === undefined || right === undefined || left === right) return null;
  return left > right ? "left" : "right";
}

/** Two states side by side; what is better has a star. */
export function formatSides(
  { left, right, better }: { readonly left: Side; readonly right: Side; readonly better: BetterData },
  terminal: Terminal,
): string {
  const { dim, green, yellow } = terminal.colors;
  const row = (name: string, of: (side: Side) => string, best: Better = null): readonly string[] => {
    const cell = (side: "left" | "right"): string => {
      const text = of(side === "left" ? left : right);
      return best === side ? `${green(text)} ${green("★")}` : text;
    };
    return [dim(name), cell("left"), cell("right")];
  };
  const rows = [
    row("State", ({ state }) =>
      [markOf(state, terminal), yellow(shortId(state.state_id)), stateNames(state, terminal)].join(" ").trimEnd(),
    ),
    row("Prompt", ({ state }) => (state.turn ? promptLine(state.turn.prompt) : KIND_WORDS[state.kind])),
    ...rewardNames(left, right).map((name) =>
      row(
        name === "reward" ? "Reward" : plainLine(name),
        ({ state }) => rewardText(ownValue(state.rewards, name), terminal),
        better.rewards[name],
      ),
    ),
    row("Cost", sideCost, better.cost_usd),
    row("Time", ({ duration_ms: ms }) => formatDuration(ms), better.duration_ms),
    row("Tokens", ({ tokens }) => formatCount(tokens), better.tokens),
    row("Failed calls", (side) => formatCount(errorsOf(side)), better.tool_errors),
    row("Turns", ({ turns }) => formatCount(turns)),
    row("Tools", (side) => side.tools.map(toolCount).join(" ") || "none"),
    row("Files", ({ files: { created, modified, deleted } }) => {
      const counts = { created: created.length, modified: modified.length, deleted: deleted.length };
      return fileCounts(counts, terminal) || "unchanged";
    }),
    row("Lines", (side) => `+${side.lines_added} -${side.lines_removed}`),
  ];
  const columns = [{ name: "" }, { name: "Left", narrow: "wrap" }, { name: "Right", narrow: "wrap" }] as const;
  return formatTable({ columns, rows }, terminal);
}

/** Whether there is a star to be explained. */
export function hasBetter({ rewards, ...figures }: BetterData): boolean {
  return [...Object.values(rewards), ...Object.values(figures)].some((side) => side !== null);
}

/** What nobody paid for is told by the price list, by which it is compared. */
function sideCost(side: Side): string {
  const { cost_usd: cost, offline_cost_usd: offline, includes_offline: isCounted } = side;
  return cost === 0 && offline > 0 && !isCounted ? costLine(offline, true) : paidText(side);
}

function rewardText(reward: number | undefined, { colors }: Terminal): string {
  return reward === undefined ? colors.dim("none") : formatReward(reward);
}

function errorsOf({ tools }: Side): number {
  return tools.reduce((sum, { errors }) => sum + errors, 0);
}

/** The whole stands before its parts. */
function rewardNames(left: Side, right: Side): readonly string[] {
  const names = [...new Set([left, right].flatMap(({ state }) => Object.keys(state.rewards)))].toSorted();
  return names.includes("reward") ? ["reward", ...names.filter((name) => name !== "reward")] : names;
}

function toolCount({ tool, calls, errors }: Side["tools"][number]): string {
  const times = calls === 1 ? "" : `×${calls}`;
  return `${plainLine(tool)}${times}${errors === 0 ? "" : ` (${errors} failed)`}`;
}
