import { FilesData, isAboutFile, shownPath, toFilesData } from "../../../protocol/index.ts";
import { z } from "zod";
import { groupBy, SkeinError, tokensOf } from "../../../core/internal.ts";
import type { FileChange } from "../../../snapshot/index.ts";
import { TraceIndex, type IndexedState } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { argument, optionalArgument, stateArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand } from "../../define-command.ts";
import {
  formatList,
  formatNumberOf,
  formatPatch,
  formatTable,
  plainLine,
  type Terminal,
} from "../../../terminal/index.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { BetterData, betterSides, formatSides, hasBetter, Side } from "../../states/compare-sides.ts";
import { patchStat, type LineCounts } from "../../states/patch-lines.ts";
import { shortId } from "../../states/short-id.ts";
import { readNames, toStateData, type StateNames } from "../../states/state-data.ts";
import { sumCosts, toCostData } from "../../turn/paid-cost.ts";
import { fileLines } from "../../turn/file-lines.ts";

const Change = z.strictObject({
  type: z.enum(["created", "modified", "deleted", "renamed"]).describe("What happened to it"),
  path: z.string().describe("Below the workspace; a folder's ends with a slash"),
  from: z.string().nullable().describe("The path before, where it was renamed; null otherwise"),
  added: z
    .int()
    .nullable()
    .describe("Lines that were added, with `--stat`; null where it is not text, or was not asked for"),
  removed: z
    .int()
    .nullable()
    .describe("Lines that were removed, with `--stat`; null where it is not text, or was not asked for"),
});
type Change = z.infer<typeof Change>;

const DiffData = z.strictObject({
  from: z.string().describe("The state that is compared from"),
  to: z.string().nullable().describe("The state that is compared with it; null for the files as they are now"),
  changes: z.array(Change).describe("What leads from the one to the other, ordered by path"),
  patch: z.string().nullable().describe("The differences of the text in git's format, with `--patch`; null otherwise"),
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
  return formatList(
    changes.map((change) => ({ mark: mark(change, terminal), text: `${plainLine(change.path)}${before(change)}` })),
    terminal,
  );
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
  const rows = changes.map((change) => {
    const name = `${mark(change, terminal)} ${plainLine(change.path)}`;
    if (change.path.endsWith("/")) return [name, "", "", dim("folder")];
    if (change.added === null) return [name, "", "", dim("not text")];
    return [name, green(`+${change.added}`), red(`-${change.removed}`), ""];
  });
  const columns = [
    { name: "File", narrow: "wrap" },
    { name: "Added", align: "right" },
    { name: "Removed", align: "right" },
    { name: "" },
  ] as const;
  const total = [
    formatNumberOf(changes.length, "file"),
    `+${sumLines(changes, "added")}`,
    `-${sumLines(changes, "removed")}`,
    "",
  ];
  return formatTable({ columns, rows, total }, terminal);
}

function sumLines(counts: readonly LineCounts[], of: keyof LineCounts): number {
  return counts.reduce((total, count) => total + (count[of] ?? 0), 0);
}

const CompareData = z.strictObject({
  common: z.string().nullable().describe("The last state that both come from; null where they have nothing in common"),
  left: Side.describe("The first of the two states"),
  right: Side.describe("The second of the two states"),
  better: BetterData.describe("Which side is better, number by number"),
  files: FilesData.describe("What leads from the left files to the right ones"),
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
    const sides = { left: await sideOf(leftPath, source), right: await sideOf(rightPath, source) };
    return {
      common: common ?? null,
      ...sides,
      better: betterSides(sides.left, sides.right),
      files: toFilesData(await workspace.diff(...ids)),
    };
  },
  format(data, { terminal }) {
    const { common, better } = data;
    const { dim, green, yellow } = terminal.colors;
    const since =
      common === null ? "They have no state in common." : `Since ${yellow(shortId(common))}, which both came from.`;
    const star = hasBetter(better) ? `  ${green("★")} ${dim("better: more reward, less of what it took")}\n` : "";
    const differing = fileLines(data.files, terminal);
    const files = differing.length === 0 ? "  The files are the same.\n" : filesText(differing);
    return `${formatSides(data, terminal)}\n  ${dim(since)}\n${star}\n${files}`;
  },
});

function filesText(lines: readonly string[]): string {
  return `  From left to right:\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

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
