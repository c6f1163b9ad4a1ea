import { z } from "zod";
import { systemClock } from "../../../core/index.ts";
import { TraceIndex } from "../../../trace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { StateData, toStateData } from "../../states/state-data.ts";
import { stateLines } from "../../states/state-lines.ts";
import { DrawnLine, drawnLines, drawnTree, drawStates, findStates } from "../../states/state-graph.ts";
import { formatDot, formatMermaid, type TreeState } from "../../states/tree-formats.ts";

const FORMATS = ["text", "dot", "mermaid", "json"] as const;

const data = z.strictObject({
  format: z.enum(FORMATS),
  /** Newest first; `parent_id` makes the tree of them. */
  states: z.array(StateData),
  /** How many there are, shown or not. */
  count: z.int(),
  /** What is drawn before each line, for the format `text`. */
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
    limit: z.coerce
      .number()
      .int()
      .positive()
      .default(200)
      .meta({ label: "count", description: "Draw at most this many states" }),
  }),
  data,
  examples: ["tree", "tree --format dot | dot -Tsvg > tree.svg", "tree --format mermaid"],
  async run({ cwd, format, limit }, context) {
    await using workspace = await openToRead(cwd, context);
    await using index = await TraceIndex.open(workspace);
    const names = { head: (await workspace.states.head())?.stateId, checkpoints: await workspace.states.checkpoints() };
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
      graph: format === "text" ? drawStates(found, all) : null,
      drawing: format === "dot" ? formatDot(drawn) : format === "mermaid" ? formatMermaid(drawn) : null,
    };
  },
  format: formatTree,
});

function formatTree({ format, states, count, graph, drawing }: z.infer<typeof data>, context: CommandContext): string {
  const { terminal } = context;
  if (drawing !== null) return drawing;
  if (format === "json") return `${JSON.stringify({ states, count }, null, 2)}\n`;
  if (states.length === 0) return 'Nothing is recorded here; skein run "…" records a turn.\n';
  const drawn = drawnLines(graph ?? [], states.map(withoutTools), terminal);
  const lines = stateLines(drawn, { terminal, nowMs: systemClock.now() });
  const rest = count > states.length ? ` · ${states.length} shown, --limit shows more` : "";
  return `${lines}\n  ${terminal.colors.dim(`${formatNumberOf(count, "state")}${rest}`)}\n`;
}

/** A tree is about where things led: the prompts get the room that tools take in a log. */
function withoutTools(state: StateData): StateData {
  return state.turn ? { ...state, turn: { ...state.turn, tools: [] } } : state;
}
