import { z } from "zod";
import { dataHome, SkeinError } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import { configuredValues, loadConfig } from "../../../config/internal.ts";
import { applyRetention, KEPT_THINGS } from "../../../monitor/internal.ts";
import { collectGarbage, TraceIndex, verifyWorkspace } from "../../../trace/internal.ts";
import { createAttempts, relinkWorkspace, Workspace } from "../../../workspace/internal.ts";
import { optionalArgument, switchFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatBytes, formatList, formatNumberOf, plainLine, type Terminal } from "../../../terminal/index.ts";
import { cwdFlag, findDirectory, openToRead, openRecorded } from "../../open-workspace.ts";
import { shownRef } from "../../states/short-id.ts";

const LISTED_PROBLEMS = 5;

export const verify = defineCommand({
  name: "verify",
  summary: "Check that every state is present and intact",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({ states: z.int().describe("How many states were read, each with all its files") }),
  errorDetails: z.object({
    states: z.int().optional().describe("How many states were read"),
    problems: z.array(z.string()).optional().describe("What is wrong in the store, a sentence each"),
  }),
  async run({ cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states, problems } = await verifyWorkspace(workspace);
    if (problems.length === 0) return { states };
    const told = problems.slice(0, LISTED_PROBLEMS).map((problem) => `\n  ${plainLine(problem)}`);
    const others = problems.length - told.length;
    const more = others > 0 ? `\n  and ${others} more` : "";
    throw new SkeinError(`${formatNumberOf(problems.length, "problem")} in the store:${told.join("")}${more}`, {
      kind: "filesystem",
      target: workspace.home,
      hint: "Run skein pull from a remote that has the states to get back what is lost.",
      details: { states, problems },
    });
  },
  format({ states }, { terminal: { colors } }) {
    return `${colors.green("✓")} ${formatNumberOf(states, "state")}, all present and intact\n`;
  },
});

export const reindex = defineCommand({
  name: "reindex",
  summary: "Rebuild the index of states from the store",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({ states: z.int().describe("How many states the index holds now") }),
  async run({ cwd }, context) {
    await using workspace = await openRecorded(cwd, context);
    await using index = await TraceIndex.open(workspace);
    return await index.reindex();
  },
  format: ({ states }) => `Indexed ${formatNumberOf(states, "state")}\n`,
});

const LISTED_NAMES = 8;

const GcData = z.strictObject({
  dry_run: z.boolean().describe("Whether it was only looked at, and nothing removed"),
  keep_days: z.int().describe("Conversations used in the last so many days are kept"),
  removed: z
    .array(
      z.strictObject({
        ref: z.string().describe("The name in the store"),
        reason: z.string().describe("Why nothing needs it any more"),
      }),
    )
    .describe("The names that were removed, or would be"),
  bytes_before: z.int().describe("The store's size before"),
  bytes_after: z.int().describe("The store's size after; an estimate in a dry run"),
  expired: z
    .array(
      z.strictObject({
        what: z.enum(KEPT_THINGS).describe("Events of runs, journals of searches, or copies of deleted transcripts"),
        files: z.int().describe("How many files were removed, or would be"),
        bytes: z.int().describe("What they took"),
      }),
    )
    .describe("What is kept no longer of all workspaces, as `retention` is configured"),
  not_done: z
    .array(
      z.strictObject({
        what: z.string().describe("The part that was not done"),
        kind: z.string().describe("The kind of the error, as in `error.kind`"),
        message: z.string().describe("What went wrong"),
      }),
    )
    .describe("What the disk had no space for; as much as possible was freed without"),
});

export const gc = defineCommand({
  name: "gc",
  summary: "Free the space of conversations long unused",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    cwd: cwdFlag,
    keepDays: z.coerce.number().int().min(0).default(90).meta({
      label: "days",
      description: "Keep conversations that had a turn in the last <days> days",
    }),
    dryRun: switchFlag("Only show what would be removed, as without --yes"),
    yes: switchFlag("Really remove it"),
  }),
  conflicts: ["dryRun", "yes"],
  data: GcData,
  examples: ["gc", "gc --keep-days 30 --yes"],
  async run({ cwd, keepDays, yes }, context) {
    await using workspace = await openRecorded(cwd, context);
    // A turn that is being recorded has objects that nothing names yet.
    await using _ = yes ? await workspace.claim() : undefined;
    const { retention = {} } = configuredValues(await loadConfig({ env: context.env }));
    // First, since it needs hardly any space to free some.
    const attempts = createAttempts(dataHome());
    let expired: Awaited<ReturnType<typeof applyRetention>> = [];
    await attempts.take("What is kept no longer could not be removed", async () => {
      expired = await applyRetention(retention, { dryRun: !yes });
    });
    const collection = await collectGarbage(workspace, { keepDays, dryRun: !yes });
    const notDone = [...attempts.notDone, ...collection.notDone];
    return asData(GcData, { ...collection, notDone, expired, keepDays, dryRun: !yes });
  },
  format: formatCollection,
});

function formatCollection(collection: z.infer<typeof GcData>, { terminal }: CommandContext): string {
  const { dry_run: isDryRun, keep_days: days, bytes_before: before, bytes_after: after } = collection;
  const { dim, cyan, yellow } = terminal.colors;
  const freed = formatBytes(Math.max(before - after, 0));
  const names = formatNumberOf(collection.removed.length, "name");
  const list = removedLines(collection.removed, terminal) + expiredLines(collection.expired, terminal);
  if (!isDryRun) {
    const later = dim("Anything written in the last day is freed by a later gc.");
    const missed = collection.not_done.map(({ message }) => `${yellow("!")} ${plainLine(message)}\n`).join("");
    const again = missed === "" ? "" : `${dim("Free some space on the store's disk, then run it again.")}\n`;
    return `${list}Removed ${names}, freed ${freed}; ${formatBytes(after)} left\n${missed}${again}${later}\n`;
  }
  if (list === "" && after >= before) return `Nothing to free: all ${formatBytes(before)} are in use\n`;
  const how = list === "" ? "" : `\n${dim("Do it:")} ${cyan(`skein gc --keep-days ${days} --yes`)}`;
  return `${list}Would remove ${names} and free about ${freed} of ${formatBytes(before)}${how}\n`;
}

type Expired = z.infer<typeof GcData>["expired"];

function expiredText({ what, files, bytes }: Expired[number]): string {
  const size = formatBytes(bytes);
  if (what === "events") return `events of ${formatNumberOf(files, "run")}, ${size}`;
  if (what === "searches") return `${formatNumberOf(files, "journal")} of searches, ${size}`;
  return `copies of ${formatNumberOf(files, "deleted transcript")}, ${size}`;
}

/** What is kept no longer of all workspaces, beside what is the store's. */
function expiredLines(expired: Expired, terminal: Terminal): string {
  const found = expired.filter(({ files }) => files > 0);
  if (found.length === 0) return "";
  const items = found.map((each) => ({ mark: terminal.colors.red("-"), text: expiredText(each) }));
  return `${terminal.colors.dim("kept no longer, of all workspaces")}\n${formatList(items, terminal)}\n`;
}

/** The names under why they go; of many only the first. */
function removedLines(removed: z.infer<typeof GcData>["removed"], terminal: Terminal): string {
  const { colors } = terminal;
  const reasons = [...new Set(removed.map(({ reason }) => reason))];
  const parts = reasons.map((reason) => {
    const refs = removed.filter((each) => each.reason === reason).map(({ ref }) => ref);
    const others = refs.length - LISTED_NAMES;
    const names = refs.slice(0, LISTED_NAMES).map((ref) => ({ mark: colors.red("-"), text: shownRef(ref) }));
    const more = others > 0 ? [{ mark: colors.red("-"), text: formatNumberOf(others, "more name") }] : [];
    return `${colors.dim(plainLine(reason))}\n${formatList([...names, ...more], terminal)}\n`;
  });
  return parts.join("");
}

export const relink = defineCommand({
  name: "relink",
  summary: "Reattach the record of a directory that moved",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    old: optionalArgument("Where the workspace was (default: the record that certainly belongs to this directory)"),
    cwd: cwdFlag,
  }),
  positional: ["old"],
  data: z.strictObject({
    cwd: z.string().describe("The workspace that has the record now"),
    from: z.string().describe("Where the record was before"),
    fit: z
      .enum(["directory", "repository", "begun", "attached"])
      .nullable()
      .describe(
        "Why the record is the directory's: it is the very directory, its repository holds a commit of the workspace's, a relink was cut off, or it was attached before; null where only the caller says so",
      ),
    state_id: z.string().nullable().describe("The state that the directory is at; null where nothing was recorded"),
    conversations: z.int().describe("How many conversations the record holds"),
  }),
  examples: ["relink", "relink ../old_name"],
  async run({ old, cwd }, context) {
    const here = await findDirectory(cwd, context);
    const { directory, from, fit } = await relinkWorkspace(here, { from: old });
    await using workspace = await Workspace.open(directory);
    return {
      cwd: directory,
      from,
      fit: fit ?? null,
      state_id: (await workspace.states.head())?.stateId ?? null,
      conversations: (await workspace.states.conversations()).size,
    };
  },
  format({ from, conversations }, { terminal: { colors } }) {
    const held = formatNumberOf(conversations, "conversation");
    return `${colors.green("✓")} The record of ${plainLine(from)} is attached here: ${held}. ${colors.cyan("skein log")} shows it\n`;
  },
});
