import { z } from "zod";
import { ownValue, SkeinError } from "../../../core/index.ts";
import { type IndexedState, TraceIndex } from "../../../trace/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { formatCount, formatDuration, formatReward, formatUsd } from "../../format-amounts.ts";
import { fitLine, plainLine, widthOf } from "../../plain-text.ts";
import type { Terminal } from "../../terminal.ts";
import { fileCounts, fileLines, FilesData, toFilesData } from "../../turn/files-data.ts";
import { patchStat } from "../../states/patch-lines.ts";
import { shortId } from "../../states/short-id.ts";
import { StateData, toStateData, type StateNames } from "../../states/state-data.ts";
import { KIND_WORDS, stateMark, stateNames } from "../../states/state-lines.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { stateArgument, argument } from "../../common-flags.ts";

const Side = z.strictObject({
  state: StateData,
  /** Turns from the state that both come from up to this one, and what they came to together. */
  turns: z.int(),
  cost_usd: z.number(),
  duration_ms: z.number(),
  tokens: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
  /** Against the state that both come from. */
  files: FilesData,
  lines_added: z.int(),
  lines_removed: z.int(),
});

const CompareData = z.strictObject({
  /** The last state that both come from; null where they have nothing in common. */
  common: z.string().nullable(),
  left: Side,
  right: Side,
  /** What leads from the left files to the right ones. */
  files: FilesData,
});
type CompareData = z.infer<typeof CompareData>;

type ComparedSide = z.infer<typeof Side>;

interface ComparisonSource {
  readonly workspace: Workspace;
  readonly all: readonly IndexedState[];
  readonly names: StateNames;
}

/** Compares two states by what was done since the last state that both come from. */
async function compareStates(left: string, right: string, source: ComparisonSource): Promise<CompareData> {
  const byId = new Map(source.all.map((state) => [state.id, state]));
  const [leftPath, rightPath] = [pathOf(left, byId), pathOf(right, byId)];
  const onLeft = new Set(leftPath.map(({ id }) => id));
  const common = rightPath.find(({ id }) => onLeft.has(id))?.id;
  return {
    common: common ?? null,
    left: await sideOf(until(leftPath, common), { id: left, common, source, byId }),
    right: await sideOf(until(rightPath, common), { id: right, common, source, byId }),
    files: toFilesData(await source.workspace.diff(left, right)),
  };
}

/** A state and all before it, newest first. */
function pathOf(id: string, byId: ReadonlyMap<string, IndexedState>): readonly IndexedState[] {
  const path: IndexedState[] = [];
  for (let state = byId.get(id); state; state = byId.get(state.parentId ?? "")) path.push(state);
  return path;
}

function until(path: readonly IndexedState[], common: string | undefined): readonly IndexedState[] {
  const end = path.findIndex(({ id }) => id === common);
  return end === -1 ? path : path.slice(0, end);
}

interface SideParts {
  readonly id: string;
  readonly common: string | undefined;
  readonly source: ComparisonSource;
  readonly byId: ReadonlyMap<string, IndexedState>;
}

async function sideOf(path: readonly IndexedState[], parts: SideParts): Promise<ComparedSide> {
  const { id, common, source, byId } = parts;
  const { workspace, names } = source;
  const turns = path.flatMap(({ turn }) => (turn ? [turn] : []));
  const sum = (of: (turn: (typeof turns)[number]) => number): number =>
    turns.reduce((total, turn) => total + of(turn), 0);
  const counts = common === undefined ? [] : [...patchStat(await workspace.patch(common, id)).values()];
  const state = byId.get(id);
  if (!state) {
    throw new SkeinError(`The state ${id} no longer exists`, {
      kind: "state_not_found",
      target: id,
      hint: "skein verify lists what is lost",
    });
  }
  return {
    state: toStateData(state, names),
    turns: turns.length,
    cost_usd: Math.round(sum(({ costUsd }) => costUsd) * 1e6) / 1e6,
    duration_ms: sum(({ durationMs }) => durationMs),
    tokens: sum((turn) => turn.inputTokens + turn.outputTokens + turn.cacheReadTokens + turn.cacheWriteTokens),
    tools: toolsOf(turns.toReversed().flatMap(({ tools }) => tools)),
    files: toFilesData(common === undefined ? [] : await workspace.diff(common, id)),
    lines_added: counts.reduce((total, { added }) => total + (added ?? 0), 0),
    lines_removed: counts.reduce((total, { removed }) => total + (removed ?? 0), 0),
  };
}

function toolsOf(uses: readonly { readonly tool: string; readonly calls: number; readonly errors: number }[]) {
  const tally = new Map<string, { tool: string; calls: number; errors: number }>();
  for (const { tool, calls, errors } of uses) {
    const before = tally.get(tool) ?? { tool, calls: 0, errors: 0 };
    tally.set(tool, { tool, calls: before.calls + calls, errors: before.errors + errors });
  }
  return [...tally.values()];
}

const GAP = "  ";

type Row = readonly [name: string, left: string, right: string];

function formatComparison(data: CompareData, { terminal }: CommandContext): string {
  const { left, right, common } = data;
  const { dim, yellow } = terminal.colors;
  const rows = [...headRows(left, right, terminal), ...amountRows(left, right, terminal)];
  const since =
    common === null ? "They have no state in common." : `Since ${yellow(shortId(common))}, which both came from.`;
  const differing = fileLines(data.files, terminal);
  const files =
    differing.length === 0
      ? ["The files are the same."]
      : ["From left to right:", ...differing.map((line) => `  ${line}`)];
  return `${inColumns(rows, terminal)}\n${GAP}${dim(since)}\n\n${files.map((line) => `${GAP}${line}\n`).join("")}`;
}

function headRows(left: ComparedSide, right: ComparedSide, terminal: Terminal): readonly Row[] {
  const { yellow } = terminal.colors;
  const id = ({ state }: ComparedSide): string => {
    const names = stateNames(state, terminal);
    const mark = stateMark({ kind: state.kind, outcome: state.turn?.outcome }, terminal);
    return `${mark} ${yellow(shortId(state.state_id))}${names === "" ? "" : ` ${names}`}`;
  };
  const prompt = ({ state }: ComparedSide): string =>
    state.turn ? plainLine(state.turn.prompt) : KIND_WORDS[state.kind];
  return [
    ["", id(left), id(right)],
    ["Prompt", prompt(left), prompt(right)],
  ];
}

function amountRows(left: ComparedSide, right: ComparedSide, terminal: Terminal): readonly Row[] {
  const both = (name: string, of: (side: ComparedSide) => string): Row => [name, of(left), of(right)];
  const rewards = [...new Set([left, right].flatMap(({ state }) => Object.keys(state.rewards)))].toSorted(rewardFirst);
  return [
    ...rewards.map((name) => rewardRow(name, left, right, terminal)),
    both("Cost", ({ cost_usd: usd }) => formatUsd(usd)),
    both("Time", ({ duration_ms: ms }) => formatDuration(ms)),
    both("Turns", ({ turns }) => String(turns)),
    both("Tokens", ({ tokens }) => formatCount(tokens)),
    both("Tools", (side) => side.tools.map(toolCount).join(" ") || "none"),
    both("Files", ({ files }) => {
      const { created, modified, deleted } = files;
      const counts = { created: created.length, modified: modified.length, deleted: deleted.length };
      return fileCounts(counts, terminal) || "unchanged";
    }),
    both("Lines", (side) => `+${side.lines_added} -${side.lines_removed}`),
  ];
}

/** The better one is green. */
function rewardRow(name: string, left: ComparedSide, right: ComparedSide, { colors }: Terminal): Row {
  const [first, second] = [ownValue(left.state.rewards, name), ownValue(right.state.rewards, name)];
  const shown = (value: number | undefined, other: number | undefined): string => {
    if (value === undefined) return colors.dim("none");
    return other !== undefined && value > other ? colors.green(formatReward(value)) : formatReward(value);
  };
  const title = name === "reward" ? "Reward" : plainLine(name);
  return [title, shown(first, second), shown(second, first)];
}

/** The whole stands before its parts. */
function rewardFirst(left: string, right: string): number {
  if (left === right) return 0;
  return left === "reward" ? -1 : right === "reward" ? 1 : left < right ? -1 : 1;
}

function toolCount({ tool, calls, errors }: ComparedSide["tools"][number]): string {
  const times = calls === 1 ? "" : `×${calls}`;
  return `${plainLine(tool)}${times}${errors === 0 ? "" : ` (${errors} failed)`}`;
}

function inColumns(rows: readonly Row[], { columns, colors }: Terminal): string {
  const nameWidth = Math.max(...rows.map(([name]) => widthOf(name)));
  const room = Math.max(Math.floor((columns - nameWidth - 3 * GAP.length - 1) / 2), 20);
  const fit = (cell: string): string => (widthOf(cell) > room ? fitLine(plainLine(cell), room) : cell);
  const leftWidth = Math.max(...rows.map(([, left]) => widthOf(fit(left))));
  const pad = (text: string, width: number): string => `${text}${" ".repeat(width - widthOf(text))}`;
  return rows
    .map(([name, left, right]) => {
      const line = [colors.dim(pad(name, nameWidth)), pad(fit(left), leftWidth), fit(right)].join(GAP);
      return `${GAP}${line}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}

export const compare = defineCommand({
  name: "compare",
  summary: "Put two states side by side",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    left: stateArgument,
    right: argument("The state to compare it with"),
    cwd: cwdFlag,
  }),
  positional: ["left", "right"],
  data: CompareData,
  examples: ["compare 3c30dee707ba d218705ebbc8", "compare with-react with-vue --output-format json"],
  async run({ left, right, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states } = workspace;
    const ids = [await states.resolve(left), await states.resolve(right)] as const;
    await using index = await TraceIndex.open(workspace);
    const names = { head: (await states.head())?.stateId, checkpoints: await states.checkpoints() };
    return await compareStates(...ids, { workspace, all: await index.query(), names });
  },
  format: formatComparison,
});
