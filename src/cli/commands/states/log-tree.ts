import { z } from "zod";
import { systemClock } from "../../../core/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { findConversation, TraceIndex, type IndexedState, type StateQuery } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { includeOfflineFlag, limitFlag, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { dotted, formatNotes, formatNumberOf, parseMoment } from "../../../terminal/index.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { rankBranches, type Ranking } from "../../states/rank-branches.ts";
import { costFields, paidText, sumCosts, toCostData } from "../../turn/paid-cost.ts";
import { readNames, StateData, toStateData } from "../../states/state-data.ts";
import { DrawnLine, drawnLines, drawnTree, drawStates, findStates } from "../../states/state-graph.ts";
import { mainReward, markOf, stateTable, stateTree, type StateLine } from "../../states/state-lines.ts";
import { formatDot, formatMermaid, type TreeState } from "../../states/tree-formats.ts";

const logArgs = z.object({
  cwd: cwdFlag,
  graph: switchFlag("Draw the tree of all states"),
  all: switchFlag("Also list states without a turn; with --graph, every branch"),
  conversation: textFlag("id", "Only this conversation"),
  limit: limitFlag(20),
  since: textFlag("time", "Since this time: 2026-11-15, 2026-11-15T09:30, 3h, 7d"),
  until: textFlag("time", "Before this time"),
  tool: textFlag("tool", "Turns that called this tool"),
  text: textFlag("words", "Turns with these words in the prompt or response"),
  minCostUsd: z.coerce
    .number()
    .min(0)
    .optional()
    .meta({ label: "amount", description: "Turns that cost at least this" }),
  rewarded: textFlag("name", "States with this reward, highest first"),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]).optional().meta({
    label: "outcome",
    description: "Turns with this outcome",
  }),
  includeOffline: includeOfflineFlag,
});

const LogData = z.strictObject({
  states: z.array(StateData).describe("The states, newest first"),
  totals: z
    .strictObject({
      states: z.int().describe("How many states fit"),
      turns: z.int().describe("How many turns led to them"),
      ...costFields,
    })
    .describe("Sums over everything that fits, not only what is listed"),
  graph: z.array(DrawnLine).nullable().describe("The drawn tree, a line each, with `--graph`; null otherwise"),
});

export const log = defineCommand({
  name: "log",
  summary: "List the recorded turns, newest first",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: logArgs,
  data: LogData,
  examples: ["log", "log --graph", 'log --text "todo app" --tool Bash', "log --since 7d --min-cost-usd 0.10"],
  async run(given, context) {
    await using workspace = await openToRead(given.cwd, context);
    await using index = await TraceIndex.open(workspace);
    const query = await toQuery(given, workspace);
    const names = await readNames(workspace);
    const named = new Set([names.head, ...names.checkpoints.values()]);
    const hasAll = given.all || given.graph;
    const isWanted = ({ id, kind }: IndexedState): boolean => hasAll || kind === "turn" || named.has(id);
    const found = await findStates(index, { query, limit: given.limit, isWanted });
    const { states, turns, ...costs } = await index.totals(query);
    return {
      states: found.map((state) => toStateData(state, names)),
      totals: { states, turns, ...toCostData(costs, given.includeOffline) },
      graph: given.graph ? drawStates(found, await index.query(), { names, isFolded: !given.all }) : null,
    };
  },
  format: formatLog,
});

async function toQuery(given: z.infer<typeof logArgs>, workspace: Workspace): Promise<StateQuery> {
  const { conversation, tool, text, minCostUsd, rewarded, outcome } = given;
  return {
    conversationId: conversation === undefined ? undefined : await findConversation(workspace, conversation),
    since: moment("--since", given.since),
    until: moment("--until", given.until),
    tool,
    text,
    minCostUsd,
    reward: rewarded === undefined ? undefined : { name: rewarded },
    outcome,
    order: rewarded === undefined || given.graph ? "newest" : "reward",
  };
}

function moment(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseMoment(text, systemClock.now());
  if (ms !== undefined) return ms;
  throw usageError("log", `${flag} must be a date or an age, not ${JSON.stringify(text)}`, {
    target: flag,
    hint: "Write 2026-11-15, 2026-11-15T09:30, 30m, 12h or 7d.",
  });
}

function formatLog({ states, totals, graph }: z.infer<typeof LogData>, { terminal }: CommandContext): string {
  if (states.length === 0) return 'No matching turn is recorded here; skein run "…" records one.\n';
  const lines: readonly StateLine[] = graph
    ? drawnLines(graph, states, terminal)
    : states.map((state) => ({ before: markOf(state, terminal), state }));
  const cost = `${formatNumberOf(totals.turns, "turn")} · ${paidText(totals)}`;
  const isCut = (graph ? totals.states : totals.turns) > states.length;
  const rest = isCut ? ` · ${formatNumberOf(states.length, "state")} shown, --limit shows more` : "";
  const options = { terminal, includesOffline: totals.includes_offline, nowMs: systemClock.now() };
  return `${stateTable(lines, options)}\n${formatNotes([`${cost}${rest}`], terminal)}`;
}

const FORMATS = ["text", "dot", "mermaid", "json"] as const;

const TreeData = z.strictObject({
  format: z.enum(FORMATS).describe("How the tree is drawn"),
  states: z.array(StateData).describe("Newest first; `parent_id` makes the tree of them"),
  count: z.int().describe("How many states there are"),
  totals: z.strictObject(costFields).describe("What all turns of the tree cost"),
  best_path: z
    .array(z.string())
    .describe("The states from a beginning to the best reward; none where nothing was rewarded"),
  drawing: z.string().nullable().describe("The drawn tree as text; null in the format that is data only"),
});

export const tree = defineCommand({
  name: "tree",
  summary: "Draw the tree of states with their rewards",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    format: z.enum(FORMATS).default("text").meta({ label: "format", description: "The format of the drawing" }),
    all: switchFlag("Draw every branch; without it, many branches of one state are folded"),
    limit: limitFlag(200).meta({ label: "count", description: "Draw at most this many states" }),
    includeOffline: includeOfflineFlag,
  }),
  data: TreeData,
  examples: ["tree", "tree --format dot | dot -Tsvg > tree.svg", "tree --format mermaid"],
  async run({ cwd, format, all: isWhole, limit, includeOffline }, context) {
    await using workspace = await openToRead(cwd, context);
    await using index = await TraceIndex.open(workspace);
    const names = await readNames(workspace);
    const found = await findStates(index, { query: { order: "newest" }, limit, isWanted: () => true });
    const all = await index.query();
    const drawn = drawnTree(found, all).map((state): TreeState => ({
      state: toStateData(state, names),
      drawnParentId: state.drawnParentId,
    }));
    const states = drawn.map(({ state }) => state);
    const data = {
      format,
      states,
      count: all.length,
      totals: toCostData(sumCosts(all.flatMap(({ turn }) => turn ?? [])), includeOffline),
      best_path: [...rank(states, isWhole).bestPath],
      drawing: format === "dot" ? formatDot(drawn) : format === "mermaid" ? formatMermaid(drawn) : null,
    };
    if (context.format === "text") await context.print(formatTree(data, isWhole, context));
    return data;
  },
});

function formatTree(data: z.infer<typeof TreeData>, isWhole: boolean, { terminal }: CommandContext): string {
  const { format, states, count, totals, best_path: bestPath, drawing } = data;
  if (drawing !== null) return drawing;
  if (format === "json") return `${JSON.stringify({ states, count, best_path: bestPath }, null, 2)}\n`;
  if (states.length === 0) return 'Nothing is recorded here; skein run "…" records a turn.\n';
  const { dim, green } = terminal.colors;
  const ranking = rank(states, isWhole);
  const hasFolds = states.some(({ state_id: id }) => ranking.foldOf(id) !== undefined);
  const words = dotted([
    formatNumberOf(count, "state"),
    paidText(totals),
    count > states.length && `${states.length} shown, --limit shows more`,
    hasFolds && "--all shows every branch",
  ]);
  const star = bestPath.length === 0 ? "" : `  ${green("★")} ${dim("leads to the best reward")}\n`;
  const options = { terminal, includesOffline: totals.includes_offline, ranking };
  return `${stateTree(states, options)}\n${formatNotes([words], terminal)}${star}`;
}

function rank(newestFirst: readonly StateData[], isWhole: boolean): Ranking {
  const ranked = newestFirst.toReversed().map((state) => ({
    id: state.state_id,
    parentId: state.parent_id ?? undefined,
    reward: mainReward(state.rewards),
    costUsd: state.turn?.cost_usd,
    isNamed: state.is_here || state.checkpoints.length > 0,
  }));
  return rankBranches(ranked, { isFolded: !isWhole });
}
