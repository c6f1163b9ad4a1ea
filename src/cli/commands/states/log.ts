import { z } from "zod";
import { systemClock } from "../../../core/index.ts";
import { usageError } from "../../../protocol/index.ts";
import { findConversation, TraceIndex, type IndexedState, type StateQuery } from "../../../trace/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf, formatUsd } from "../../format-amounts.ts";
import { parseMoment } from "../../format-time.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { StateData, toStateData } from "../../states/state-data.ts";
import { stateLines, type StateLine } from "../../states/state-lines.ts";
import { DrawnLine, drawnLines, drawStates, findStates, markOf } from "../../states/state-graph.ts";
import { limitFlag, switchFlag, textFlag } from "../../common-flags.ts";

const args = z.object({
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
});

type Args = z.infer<typeof args>;

const data = z.strictObject({
  states: z.array(StateData),
  /** Sums over everything that fits, not only what is listed. */
  totals: z.strictObject({ states: z.int(), turns: z.int(), cost_usd: z.number() }),
  /** What is drawn before each line, where a graph was asked for. */
  graph: z.array(DrawnLine).nullable(),
});

export const log = defineCommand({
  name: "log",
  summary: "List the recorded turns, newest first",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args,
  data,
  examples: ["log", "log --graph", 'log --text "todo app" --tool Bash', "log --since 7d --min-cost-usd 0.10"],
  async run(given, context) {
    await using workspace = await openToRead(given.cwd, context);
    await using index = await TraceIndex.open(workspace);
    const query = await toQuery(given, workspace);
    const names = { head: (await workspace.states.head())?.stateId, checkpoints: await workspace.states.checkpoints() };
    const named = new Set([names.head, ...names.checkpoints.values()]);
    const hasAll = given.all || given.graph;
    const isWanted = ({ id, kind }: IndexedState): boolean => hasAll || kind === "turn" || named.has(id);
    const found = await findStates(index, { query, limit: given.limit, isWanted });
    const { states, turns, costUsd } = await index.totals(query);
    return {
      states: found.map((state) => toStateData(state, names)),
      totals: { states, turns, cost_usd: costUsd },
      graph: given.graph ? drawStates(found, await index.query()) : null,
    };
  },
  format: formatLog,
});

async function toQuery(given: Args, workspace: Workspace): Promise<StateQuery> {
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

function formatLog({ states, totals, graph }: z.infer<typeof data>, { terminal }: CommandContext): string {
  if (states.length === 0) return 'No matching turn is recorded here; skein run "…" records one.\n';
  const { dim } = terminal.colors;
  const lines: readonly StateLine[] = graph
    ? drawnLines(graph, states, terminal)
    : states.map((state) => ({ before: markOf(state, terminal), state }));
  const cost = `${formatNumberOf(totals.turns, "turn")} · ${formatUsd(totals.cost_usd)}`;
  const isCut = (graph ? totals.states : totals.turns) > states.length;
  const rest = isCut ? ` · ${formatNumberOf(states.length, "state")} shown, --limit shows more` : "";
  return `${stateLines(lines, { terminal, nowMs: systemClock.now() })}\n  ${dim(`${cost}${rest}`)}\n`;
}
