import { z } from "zod";
import { systemClock } from "../../../core/internal.ts";
import { usageError } from "../../../protocol/index.ts";
import { findConversation, TraceIndex, type IndexedState, type StateQuery } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { includeOfflineFlag, limitFlag, switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatNumberOf, parseMoment } from "../../../terminal/index.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { costFields, paidText, sumCosts, toCostData } from "../../turn/paid-cost.ts";
import { readNames, StateData, toStateData } from "../../states/state-data.ts";
import { DrawnLine, drawnLines, drawnTree, drawStates, findStates, markOf } from "../../states/state-graph.ts";
import { stateLines, type StateLine } from "../../states/state-lines.ts";
import { formatDot, formatMermaid, type TreeState } from "../../states/tree-formats.ts";

const logArgs = z.object({
  cwd: cwdFlag,
  graph: switchFlag("Draw the tree of all states"),
  all: switchFlag("Also list states without a turn"),
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
  states: z.array(StateData),
  /** Sums over everything that fits, not only what is listed. */
  totals: z.strictObject({ states: z.int(), turns: z.int(), ...costFields }),
  graph: z.array(DrawnLine).nullable(),
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
      graph: given.graph ? drawStates(found, await index.query()) : null,
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
  const { dim } = terminal.colors;
  const lines: readonly StateLine[] = graph
    ? drawnLines(graph, states, terminal)
    : states.map((state) => ({ before: markOf(state, terminal), state }));
  const cost = `${formatNumberOf(totals.turns, "turn")} · ${paidText(totals)}`;
  const isCut = (graph ? totals.states : totals.turns) > states.length;
  const rest = isCut ? ` · ${formatNumberOf(states.length, "state")} shown, --limit shows more` : "";
  return `${stateLines(lines, { terminal, nowMs: systemClock.now() })}\n  ${dim(`${cost}${rest}`)}\n`;
}

const FORMATS = ["text", "dot", "mermaid", "json"] as const;

const TreeData = z.strictObject({
  format: z.enum(FORMATS),
  /** Newest first; `parent_id` makes the tree of them. */
  states: z.array(StateData),
  count: z.int(),
  totals: z.strictObject(costFields),
  graph: z.array(DrawnLine).nullable(),
  drawing: z.string().nullable(),
});

export const tree = defineCommand({
  name: "tree",
  summary: "Draw the tree of states with their rewards",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    format: z.enum(FORMATS).default("text").meta({ label: "format", description: "The format of the drawing" }),
    limit: limitFlag(200).meta({ label: "count", description: "Draw at most this many states" }),
    includeOffline: includeOfflineFlag,
  }),
  data: TreeData,
  examples: ["tree", "tree --format dot | dot -Tsvg > tree.svg", "tree --format mermaid"],
  async run({ cwd, format, limit, includeOffline }, context) {
    await using workspace = await openToRead(cwd, context);
    await using index = await TraceIndex.open(workspace);
    const names = await readNames(workspace);
    const found = await findStates(index, { query: { order: "newest" }, limit, isWanted: () => true });
    const all = await index.query();
    const drawn = drawnTree(found, all).map((state): TreeState => ({
      state: toStateData(state, names),
      drawnParentId: state.drawnParentId,
    }));
    return {
      format,
      states: drawn.map(({ state }) => state),
      count: all.length,
      totals: toCostData(sumCosts(all.flatMap(({ turn }) => turn ?? [])), includeOffline),
      graph: format === "text" ? drawStates(found, all) : null,
      drawing: format === "dot" ? formatDot(drawn) : format === "mermaid" ? formatMermaid(drawn) : null,
    };
  },
  format: formatTree,
});

function formatTree(
  { format, states, count, totals, graph, drawing }: z.infer<typeof TreeData>,
  context: CommandContext,
): string {
  const { terminal } = context;
  if (drawing !== null) return drawing;
  if (format === "json") return `${JSON.stringify({ states, count }, null, 2)}\n`;
  if (states.length === 0) return 'Nothing is recorded here; skein run "…" records a turn.\n';
  const drawn = drawnLines(graph ?? [], states.map(withoutTools), terminal);
  const lines = stateLines(drawn, { terminal, nowMs: systemClock.now() });
  const rest = count > states.length ? ` · ${states.length} shown, --limit shows more` : "";
  return `${lines}\n  ${terminal.colors.dim(`${formatNumberOf(count, "state")} · ${paidText(totals)}${rest}`)}\n`;
}

/** A tree is about where things led: the prompts get the room that tools take in a log. */
function withoutTools(state: StateData): StateData {
  return state.turn ? { ...state, turn: { ...state.turn, tools: [] } } : state;
}
