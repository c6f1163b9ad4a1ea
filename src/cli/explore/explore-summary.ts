import type { CommandContext } from "../command-context.ts";
import { detailRows } from "../detail-rows.ts";
import type { ExploreData } from "./explore-data.ts";
import { formatReward, formatUsd } from "../format-amounts.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { formatArrival } from "../states/restore-data.ts";
import { shortId } from "../states/short-id.ts";

const ENDINGS: Readonly<Record<ExploreData["stopped"], string>> = {
  exhausted: "everything was tried",
  solved: "the goal was reached",
  threshold: "a reward was high enough",
  budget: "the budget is spent",
  cancelled: "it was interrupted; run the same command to continue",
};

/** What a search came to, for people: the best branch, why it ended, what it cost, and what to do next. */
export function exploreSummary(data: ExploreData, context: CommandContext, isOffline: boolean): string {
  const { terminal } = context;
  const { bold, cyan } = terminal.colors;
  const best = data.branches.find(({ id }) => id === data.best);
  const value = best?.reward ? `  reward ${formatReward(best.reward.value)}` : "";
  const prompt = best ? fitLine(plainLine(best.prompt), Math.max(terminal.columns - 40, 16)) : "";
  const rows = detailRows(
    [
      ["Best", ...(best ? [`${bold(prompt)}${value}`] : [])],
      ["Ended", ENDINGS[data.stopped]],
      ["Branches", branchCounts(data)],
      ["Cost", isOffline ? `nothing: offline (${formatUsd(data.cost_usd)} by price list)` : formatUsd(data.cost_usd)],
      ["Next", ...nextSteps(data).map((step) => cyan(step))],
    ],
    terminal,
  );
  const adopted = data.adopted ? `\n${formatArrival(data.adopted, context, "Adopted")}` : "";
  return `\n${rows}${adopted}`;
}

function branchCounts({ branches, expansions, reused_cost_usd: reusedUsd }: ExploreData): string {
  const known = branches.length - expansions;
  const before = known === 0 ? "" : ` · ${known} known from before (${formatUsd(reusedUsd)}; --fresh runs them again)`;
  return `${expansions} run${before}`;
}

function nextSteps({ branches, best, adopted }: ExploreData): string[] {
  if (adopted) return ['skein run "…" --continue'];
  const reached = branches.flatMap(({ id, state_id: state }) => (state === null ? [] : [{ id, state }]));
  const first = reached.find(({ id }) => id === best) ?? reached[0];
  const other = reached.find(({ id }) => id !== first?.id);
  return [
    ...(first ? [`skein adopt ${shortId(first.state)}`] : []),
    ...(first && other ? [`skein compare ${shortId(first.state)} ${shortId(other.state)}`] : []),
  ];
}
