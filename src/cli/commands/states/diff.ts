import { z } from "zod";
import type { FileChange } from "../../../snapshot/index.ts";
import type { Workspace } from "../../../workspace/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { fitLine, plainLine, widthOf } from "../../plain-text.ts";
import { colorPatch, patchStat, type LineCounts } from "../../states/patch-lines.ts";
import type { Terminal } from "../../terminal.ts";
import { isAboutFile, shownPath } from "../../turn/files-data.ts";
import { switchFlag, stateArgument, optionalArgument } from "../../common-flags.ts";

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

const data = z.strictObject({
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
  data,
  examples: ["diff @", "diff @~1 @ --patch", "diff before-vue with-react --stat"],
  async run(given, context) {
    await using workspace = await openToRead(given.cwd, context);
    const { from, to } = await findStates(workspace, given.from, given.to);
    const right = to ?? (await workspace.snapshot(context)).id;
    const changes = await workspace.diff(from, right);
    const patch = given.stat || given.patch ? await workspace.patch(from, right) : "";
    const counts = given.stat ? patchStat(patch) : undefined;
    const told = changes.map((change) => toData(change, counts?.get(change.path)));
    const { terminal } = context;
    // A patch that goes into a file or to another program has to be the patch, byte for byte.
    if (given.patch) await context.print(colorPatch(patch, terminal), { isForProgram: !terminal.isLive });
    else if (given.stat) await context.print(statLines(told, terminal));
    if (!given.stat && !given.patch) await context.print(listLines(told, context));
    return { from, to, changes: told, patch: given.patch ? patch : null };
  },
});

async function findStates(
  { states }: Workspace,
  from: string,
  to: string | undefined,
): Promise<{ readonly from: string; readonly to: string | null }> {
  return { from: await states.resolve(from), to: to === undefined ? null : await states.resolve(to) };
}

function toData(change: FileChange, counts: LineCounts | undefined): Change {
  return {
    type: change.type,
    path: shownPath(change),
    from: change.type === "renamed" ? change.from : null,
    added: isAboutFile(change) ? (counts?.added ?? null) : null,
    removed: isAboutFile(change) ? (counts?.removed ?? null) : null,
  };
}

function listLines(changes: readonly Change[], { terminal }: CommandContext): string {
  if (changes.length === 0) return "No difference\n";
  return changes.map((change) => `  ${mark(change, terminal)} ${name(change, terminal)}\n`).join("");
}

function name({ path, from }: Change, { colors }: Terminal): string {
  return `${plainLine(path)}${from === null ? "" : `  ${colors.dim(`was ${plainLine(from)}`)}`}`;
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
  const sum = (of: "added" | "removed"): number => changes.reduce((total, change) => total + (change[of] ?? 0), 0);
  const totals = `${formatNumberOf(changes.length, "file")} · +${sum("added")} -${sum("removed")}`;
  return `${lines.join("")}\n  ${dim(totals)}\n`;
}
