import { fitLine, formatCard, formatReward, plainLine } from "../../terminal/index.ts";
import type { CommandContext } from "../define-command.ts";
import { formatArrival } from "../states/restore-here.ts";
import { shortId } from "../states/short-id.ts";
import { nextStepLines, type NextStep } from "../turn/next-steps.ts";
import { paidSum } from "../turn/paid-cost.ts";
import { costLine } from "../turn/turn-summary.ts";
import { toCost, type BranchData, type ExploreData } from "./explore-data.ts";
import { isRefused, rewardMeaning } from "./reward-meaning.ts";

const ENDINGS: Readonly<Record<ExploreData["stopped"], string>> = {
  exhausted: "everything was tried",
  solved: "the goal was reached",
  threshold: "a reward was high enough",
  budget: "the budget is spent",
  cancelled: "it was interrupted; run the same command to continue",
};

/** What a search came to, for people: the best branch, why it ended, what it cost, and what to do next. */
export function exploreSummary(
  data: ExploreData,
  context: CommandContext,
  { isOffline, cwd }: { readonly isOffline: boolean; readonly cwd: string | undefined },
): string {
  const { terminal, env } = context;
  const rows = formatCard(
    [
      ["Best", ...bestLines(data, context)],
      ["Ended", ENDINGS[data.stopped]],
      ["Branches", branchCounts(data)],
      ["Cost", data.expansions === 0 ? "nothing: all was known" : costLine(data.cost_usd, isOffline || data.offline)],
      ["Next", ...nextStepLines(nextSteps(data), { env, cwd }, terminal)],
    ],
    terminal,
  );
  const adopted = data.adopted ? `\n${formatArrival(data.adopted, context, "Adopted")}` : "";
  return `\n${rows}${adopted}`;
}

/** The branch to take, and why; without a reward, or where a check refused all of them, there is none. */
function bestLines(data: ExploreData, { terminal }: CommandContext): readonly string[] {
  const { bold, yellow } = terminal.colors;
  const best = recommended(data);
  if (!best) {
    const why =
      data.best === null
        ? "no rewards were given, so you have to compare"
        : "the reward command failed on every branch";
    return [yellow(`none: ${why}`)];
  }
  const prompt = fitLine(plainLine(best.prompt), Math.max(Math.min(terminal.columns, 200) - 16, 16));
  if (!best.reward) return [bold(prompt)];
  const equals = data.branches.filter(({ reward }) => reward?.value === best.reward?.value).length;
  const meaning = rewardMeaning(best.reward);
  return [
    bold(prompt),
    `reward ${formatReward(best.reward.value)}${meaning === "" ? "" : `: ${meaning}`}`,
    ...(equals > 1 && best.outcome === "completed"
      ? [`the one that was reached for least money, of ${equals} that are equal`]
      : []),
  ];
}

function recommended({ branches, best }: ExploreData): BranchData | undefined {
  const found = branches.find(({ id }) => id === best);
  return found?.reward && isRefused(found.reward) ? undefined : found;
}

function branchCounts({ branches, expansions }: ExploreData): string {
  const known = branches.filter((branch) => branch.is_reused);
  if (known.length === 0) return `${expansions} run`;
  const cost = paidSum(known.map(toCost));
  return `${expansions} run · ${known.length} known from before (${cost}; --fresh runs them again)`;
}

function nextSteps(data: ExploreData): readonly NextStep[] {
  if (data.adopted) return [{ command: 'run "…" --continue', why: "go on with the branch's conversation" }];
  const best = recommended(data);
  const reached = data.branches.flatMap(({ id, state_id: state }) =>
    state === null ? [] : [{ id, state: shortId(state) }],
  );
  const first = reached.find(({ id }) => id === best?.id) ?? reached[0];
  const other = reached.find(({ id }) => id !== first?.id);
  if (!first) return [];
  return [
    ...(best ? [{ command: `adopt ${first.state}`, why: "take the best branch over" }] : []),
    ...(other ? [{ command: `compare ${first.state} ${other.state}`, why: "cost, tools and files side by side" }] : []),
    { command: `diff ${shortId(data.from)} ${first.state} --patch`, why: "read what a branch changed" },
    ...(best ? [] : [{ command: "adopt <state>", why: "take one over" }]),
  ];
}
