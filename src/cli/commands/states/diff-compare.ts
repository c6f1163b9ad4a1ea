import { z } from "zod";
import { groupBy, ownValue, SkeinError, tokensOf } from "../../../core/internal.ts";
import type { FileChange } from "../../../snapshot/index.ts";
import { TraceIndex, type IndexedState } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { argument, optionalArgument, stateArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import {
  formatCount,
  formatDuration,
  formatNumberOf,
  formatPatch,
  formatReward,
  fitLine,
  plainLine,
  widthOf,
  type Terminal,
} from "../../../terminal/index.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { patchStat, type LineCounts } from "../../states/patch-lines.ts";
import { shortId } from "../../states/short-id.ts";
import { readNames, StateData, toStateData, type StateNames } from "../../states/state-data.ts";
import { KIND_WORDS, markOf, stateNames } from "../../states/state-lines.ts";
import { costFields, paidText, sumCosts, toCostData } from "../../turn/paid-cost.ts";
import { fileCounts, fileLines, FilesData, isAboutFile, shownPath, toFilesData } from "../../turn/files-data.ts";

const Change = z.strictObject({
  type: z.enum(["created", "modified", "deleted", "renamed"]),
  /** Below the workspace; a folder's ends with a slash. */
  path: z.string(),
  from: z.string().nullable(),
  /** Lines, with `--stat`; null where it is not text. */
  added: z.int().nullable(),
  removed: z.int().nullable(),
});
type Change = z.infer<typeof Change>;

const DiffData = z.strictObject({
  from: z.string(),
  /** Null for the files as they are now. */
  to: z.string().nullable(),
  changes: z.array(Change),
  patch: z.string().nullable(),
});

export const diff = defineCommand({
  name: "diff",
  summary: "Compare two states, or one with the files now",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    from: stateArgument,
    to: optionalArgument("The state to compare it with (default: the files now)"),
    cwd: cwdFlag,
    stat: switchFlag("Count changed lines for each file"),
    patch: switchFlag("Print a unified patch that git apply accepts"),
  }),
  positional: ["from", "to"],
  conflicts: ["stat", "patch"],
  data: DiffData,
  examples: ["diff @", "diff @~1 @ --patch", "diff before-vue with-react --stat"],
  async run(given, context) {
    await using workspace = await openToRead(given.cwd, context);
    const { states } = workspace;
    const from = await states.resolve(given.from);
    const to = given.to === undefined ? null : await states.resolve(given.to);
    const right = to ?? (await workspace.snapshot(context)).id;
    const changes = await workspace.diff(from, right);
    const patch = given.stat || given.patch ? await workspace.patch(from, right) : "";
    const counts = given.stat ? patchStat(patch) : undefined;
    const told = changes.map((change) => toData(change, counts?.get(change.path)));
    const { terminal } = context;
    // A patch that goes into a file or to another program has to be the patch, byte for byte.
    if (given.patch) await context.print(formatPatch(patch, terminal), { isForProgram: !terminal.isLive });
    else await context.print(given.stat ? statLines(told, terminal) : listLines(told, terminal));
    return { from, to, changes: told, patch: given.patch ? patch : null };
  },
});

function toData(change: FileChange, counts: LineCounts | undefined): Change {
  return {
    type: change.type,
    path: shownPath(change),
    from: change.type === "renamed" ? change.from : null,
    added: isAboutFile(change) ? (counts?.added ?? null) : null,
    removed: isAboutFile(change) ? (counts?.removed ?? null) : null,
  };
}

function listLines(changes: readonly Change[], terminal: Terminal): string {
  if (changes.length === 0) return "No difference\n";
  const before = ({ from }: Change): string =>
    from === null ? "" : `  ${terminal.colors.dim(`was ${plainLine(from)}`)}`;
  return changes.map((change) => `  ${mark(change, terminal)} ${plainLine(change.path)}${before(change)}\n`).join("");
}

function mark({ type }: Change, { colors }: Terminal): string {
  const marks = {
    created: colors.green("+"),
    modified: colors.yellow("~"),
    deleted: colors.red("-"),
    renamed: colors.cyan("→"),
  };
  return marks[type];
}

function statLines(changes: readonly Change[], terminal: Terminal): string {
  if (changes.length === 0) return "No difference\n";
  const { green, red, dim } = terminal.colors;
  const names = changes.map((change) => fitLine(plainLine(change.path), Math.max(terminal.columns - 24, 16)));
  const width = Math.max(...names.map(widthOf));
  const lines = changes.map((change, index) => {
    const shown = names[index] ?? "";
    const counted =
      change.added === null ? dim("not text") : `${green(`+${change.added}`)} ${red(`-${change.removed}`)}`;
    const lineCount = change.path.endsWith("/") ? dim("folder") : counted;
    return `  ${mark(change, terminal)} ${shown}${" ".repeat(width - widthOf(shown))}  ${lineCount}\n`;
  });
  const totals = `+${sumLines(changes, "added")} -${sumLines(changes, "removed")}`;
  return `${lines.join("")}\n  ${dim(`${formatNumberOf(changes.length, "file")} · ${totals}`)}\n`;
}

function sumLines(counts: readonly LineCounts[], of: keyof LineCounts): number {
  return counts.reduce((total, count) => total + (count[of] ?? 0), 0);
}

const Side = z.strictObject({
  state: StateData,
  /** Turns from the state that both come from up to this one, and what they came to together. */
  turns: z.int(),
  ...costFields,
  duration_ms: z.number(),
  tokens: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int() })),
  /** Against the state that both come from. */
  files: FilesData,
  lines_added: z.int(),
  lines_removed: z.int(),
});
type Side = z.infer<typeof Side>;

const CompareData = z.strictObject({
  /** The last state that both come from; null where they have nothing in common. */
  common: z.string().nullable(),
  left: Side,
  right: Side,
  /** What leads from the left files to the right ones. */
  files: FilesData,
});

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
    const byId = new Map((await index.query()).map((state) => [state.id, state]));
    const [leftPath, rightPath] = [pathOf(ids[0], byId), pathOf(ids[1], byId)];
    const onLeft = new Set(leftPath);
    const common = rightPath.find((state) => onLeft.has(state))?.id;
    const source = { workspace, common, names: await readNames(workspace) };
    return {
      common: common ?? null,
      left: await sideOf(leftPath, source),
      right: await sideOf(rightPath, source),
      files: toFilesData(await workspace.diff(...ids)),
    };
  },
  format(data, { terminal }) {
    const { left, right, common } = data;
    const { dim, yellow } = terminal.colors;
    const since =
      common === null ? "They have no state in common." : `Since ${yellow(shortId(common))}, which both came from.`;
    const differing = fileLines(data.files, terminal);
    const files =
      differing.length === 0
        ? ["The files are the same."]
        : ["From left to right:", ...differing.map((line) => `  ${line}`)];
    const rows = inColumns(comparedRows(left, right, terminal), terminal);
    return `${rows}\n${GAP}${dim(since)}\n\n${files.map((line) => `${GAP}${line}\n`).join("")}`;
  },
});

type Path = readonly [IndexedState, ...IndexedState[]];

function pathOf(id: string, byId: ReadonlyMap<string, IndexedState>): Path {
  const state = byId.get(id);
  if (!state) {
    throw new SkeinError(`The state ${id} no longer exists`, {
      kind: "state_not_found",
      target: id,
      hint: "skein verify lists what is lost",
    });
  }
  const path: [IndexedState, ...IndexedState[]] = [state];
  for (let next = byId.get(state.parentId ?? ""); next; next = byId.get(next.parentId ?? "")) path.push(next);
  return path;
}

async function sideOf(
  path: Path,
  { workspace, common, names }: { workspace: Workspace; common: string | undefined; names: StateNames },
): Promise<Side> {
  const [state] = path;
  const end = path.findIndex(({ id }) => id === common);
  const turns = path.slice(0, end === -1 ? undefined : end).flatMap(({ turn }) => turn ?? []);
  const sum = (of: (turn: (typeof turns)[number]) => number): number =>
    turns.reduce((total, turn) => total + of(turn), 0);
  const counts = common === undefined ? [] : [...patchStat(await workspace.patch(common, state.id)).values()];
  return {
    state: toStateData(state, names),
    turns: turns.length,
    ...toCostData(sumCosts(turns)),
    duration_ms: sum(({ durationMs }) => durationMs),
    tokens: sum(tokensOf),
    tools: toolsOf(turns.toReversed().flatMap(({ tools }) => tools)),
    files: toFilesData(common === undefined ? [] : await workspace.diff(common, state.id)),
    lines_added: sumLines(counts, "added"),
    lines_removed: sumLines(counts, "removed"),
  };
}

function toolsOf(uses: Side["tools"]): Side["tools"] {
  return [...groupBy(uses, ({ tool }) => tool)].map(([tool, own]) => ({
    tool,
    calls: own.reduce((sum, { calls }) => sum + calls, 0),
    errors: own.reduce((sum, { errors }) => sum + errors, 0),
  }));
}

const GAP = "  ";

type Row = readonly [name: string, left: string, right: string];

function comparedRows(left: Side, right: Side, terminal: Terminal): readonly Row[] {
  const both = (name: string, of: (side: Side) => string): Row => [name, of(left), of(right)];
  const rewards = [...new Set([left, right].flatMap(({ state }) => Object.keys(state.rewards)))].toSorted(rewardFirst);
  return [
    both("", ({ state }) => {
      const names = stateNames(state, terminal);
      const id = terminal.colors.yellow(shortId(state.state_id));
      return `${markOf(state, terminal)} ${id}${names === "" ? "" : ` ${names}`}`;
    }),
    both("Prompt", ({ state }) => (state.turn ? plainLine(state.turn.prompt) : KIND_WORDS[state.kind])),
    ...rewards.map((name) => rewardRow(name, left, right, terminal)),
    both("Cost", paidText),
    both("Time", ({ duration_ms: ms }) => formatDuration(ms)),
    both("Turns", ({ turns }) => String(turns)),
    both("Tokens", ({ tokens }) => formatCount(tokens)),
    both("Tools", (side) => side.tools.map(toolCount).join(" ") || "none"),
    both("Files", ({ files: { created, modified, deleted } }) => {
      const counts = { created: created.length, modified: modified.length, deleted: deleted.length };
      return fileCounts(counts, terminal) || "unchanged";
    }),
    both("Lines", (side) => `+${side.lines_added} -${side.lines_removed}`),
  ];
}

function rewardRow(name: string, left: Side, right: Side, { colors }: Terminal): Row {
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

function toolCount({ tool, calls, errors }: Side["tools"][number]): string {
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
