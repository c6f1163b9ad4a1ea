import { z } from "zod";
import { rm } from "node:fs/promises";
import {
  BudgetTracker,
  defined,
  errorFromRecord,
  SkeinError,
  toSkeinError,
  type ErrorKind,
} from "../../../core/internal.ts";
import { createFileJournal, type SearchOptions, type SearchResult } from "../../../search/internal.ts";
import { readStateFile, RECORDING_MS, type State, type Transition } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { checkInBranch, readTaskFile, toTask } from "../../explore/task-file.ts";
import { clearBranches } from "../../open-workspace.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { makeMissing } from "../../make-missing.ts";
import { EXPLORE_EVENTS } from "../../explore/explore-events.ts";
import { ExploreData, toExploreData } from "../../explore/explore-data.ts";
import { checkExploreFlags, exploreFlags, type ExploreFlags } from "../../explore/explore-flags.ts";
import { journalPath, createExploration, rewardOf } from "../../explore/explore-search.ts";
import { createSearchProgress } from "../../explore/branch-progress.ts";
import { exploreSummary } from "../../explore/explore-summary.ts";
import { openEnvironment, tellNotCarried } from "../../explore/open-environment.ts";
import { restoreHere } from "../../states/restore-here.ts";
import { recordHere, takeDirectory } from "../../states/take-directory.ts";
import { copyMounts } from "../../turn/setup/mounts.ts";
import { readSetup, type AgentSetup } from "../../turn/setup/read-setup.ts";
import { setupText } from "../../turn/setup/setup-text.ts";
import { watchSearch } from "../../explore/explore-view.ts";

export const explore = defineCommand({
  name: "explore",
  summary: "Try prompts on branches and find the best",
  effects: { changes: "replaces", isRepeatable: false, reaches: "world" },
  args: exploreFlags,
  data: ExploreData,
  streaming: "on-request",
  events: EXPLORE_EVENTS,
  errorDetails: z.object({
    search: ExploreData.optional().describe("What the search came to; absent where it was not begun"),
  }),
  examples: [
    'explore --prompt "Build the UI with React" --prompt "Build the UI with Vue" --reward "npm test" --adopt',
    'explore --prompt "Make the tests pass" --n 4 --concurrency 4 --reward "npm test" --max-cost-usd 5',
    'explore --strategy refine --prompt "Port it to TypeScript" --reward "npx tsc" --rounds 4',
  ],
  async run(given, context) {
    checkExploreFlags(given);
    await makeMissing(given, context);
    const setup = await readSetup(given, context);
    const tasks = given.tasks === undefined ? undefined : await readTaskFile(given.tasks);
    await using opened = await openEnvironment(given, { setup, context });
    const { environment } = opened;
    const { workspace } = environment;
    await clearBranches(workspace, context);
    await mountHere(workspace, setup.mounts, context);
    const from =
      given.from === undefined
        ? await recordHere(workspace, context)
        : await readStateFile(workspace.states, await workspace.states.resolve(given.from));
    const notCarried = await tellNotCarried(environment, context);
    const journal = journalPath(workspace.home, from.id, {
      ...given,
      taskText: JSON.stringify(tasks),
      setupText: setupText(setup),
    });
    if (given.fresh) await rm(journal, { force: true });
    const progress = createSearchProgress();
    const search = createExploration(given, {
      environment,
      options: { ...searchOptions(given, { from, journal, signal: context.signal }), watch: progress.watch },
      task: tasks && toTask(tasks, checkInBranch(workspace, context.signal)),
    });
    const { strategy } = given;
    const { result, branches } = await watchSearch(search, { strategy, progress, context });
    const ownPathReason = opened.ownPathReason();
    const told = { strategy, from: from.id, branches, journal, ownPathReason, notCarried };
    const found = toExploreData(result, told);
    if (!branches.some(({ outcome }) => outcome === "completed")) throw nothingReached(found);
    const adopted = given.adopt ? await adoptBest(result, workspace, { data: found, context }) : null;
    const data = { ...found, adopted };
    await context.print(exploreSummary(data, context, { isOffline: given.offline !== undefined, cwd: given.cwd }));
    return data;
  },
});

async function mountHere(workspace: Workspace, mounts: AgentSetup["mounts"], context: CommandContext): Promise<void> {
  if (mounts.length === 0) return;
  await using _ = await takeDirectory(workspace, context, { waitMs: RECORDING_MS });
  await copyMounts(mounts, workspace.path);
}

function searchOptions(
  given: ExploreFlags,
  { from, journal, signal }: { readonly from: State; readonly journal: string; readonly signal: AbortSignal },
): SearchOptions<State, Transition> {
  const { maxCostUsd, maxTokens, timeout, threshold, seed, concurrency } = given;
  const reward = rewardOf(given);
  const maxDurationMs = timeout === undefined ? undefined : Math.ceil(timeout * 1000);
  const limits = defined({ maxCostUsd, maxTokens, maxDurationMs });
  return {
    from,
    ...(Object.keys(limits).length === 0 ? {} : { budget: new BudgetTracker(limits) }),
    signal,
    concurrency,
    journal: createFileJournal(journal),
    ...(reward ? { reward } : {}),
    ...defined({ threshold, seed }),
  };
}

/** Brings the best branch into the workspace, where that was asked for and nobody interrupted the search. */
async function adoptBest(
  { best, stopped }: SearchResult<State, Transition>,
  workspace: Workspace,
  { data, context }: { readonly data: ExploreData; readonly context: CommandContext },
): Promise<ExploreData["adopted"]> {
  if (!best || stopped === "cancelled") return null;
  try {
    return await restoreHere(workspace, { state: best.state.id }, context);
  } catch (error) {
    // What was found is worth more than the failure to bring it here.
    throw errorFromRecord(toSkeinError(error).toJSON(), { search: data });
  }
}

/** Every branch failed, or none was begun: the first failure says why. */
function nothingReached(data: ExploreData): SkeinError {
  const failed = data.branches.find(({ outcome, error }) => outcome === "failed" && error);
  const kind = failed?.error ? failed.error.kind : data.stopped === "budget" ? "budget" : "cancelled";
  const message = failed?.error
    ? `No branch was completed; the first one failed: ${failed.error.message}`
    : data.stopped === "budget"
      ? "The budget was spent before a branch was completed"
      : "Interrupted before a branch was completed";
  return new SkeinError(message, { kind: kind as ErrorKind, details: { search: data } });
}
