import { z } from "zod";
import type { SearchEvent, SearchResult, SearchNode } from "../../search/internal.ts";
import type { State, Transition } from "../../trace/internal.ts";
import type { NotCarried } from "../../workspace/internal.ts";
import { offlineFields } from "../turn/turn-data.ts";
import { asData, toWire, LeftOutData, RestoreData, FilesData, isAboutFile, toFilesData } from "../../protocol/index.ts";

export const BranchData = z.strictObject({
  id: z.int().describe("Counted from 1 in the order in which the search asked for them"),
  parent_id: z.int().describe("The branch that it went on from; 0 is where the search began"),
  depth: z.int().describe("How many branches lie between it and the beginning, itself counted"),
  prompt: z.string().describe("The turn's prompt"),
  attempt: z.int().describe("Which run of this prompt from this state it is, counted from 1"),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]).describe("How the turn ended"),
  state_id: z.string().nullable().describe("Where it led to; null where it did not come that far"),
  reward: z
    .strictObject({
      value: z.number().describe("The reward itself: the higher the better"),
      parts: z.record(z.string(), z.number()).describe("What each part of the reward gave, by its name"),
      notes: z.record(z.string(), z.string()).describe("What each part has to say, by its name"),
    })
    .nullable()
    .describe("What it was worth; null where it was not rated"),
  cost_usd: z.number().describe("What the turn cost, in US dollars; of an offline turn what the price list says"),
  ...offlineFields,
  tokens: z.int().describe("Tokens of the turn, read and written"),
  duration_ms: z.number().describe("How long the turn took, in milliseconds"),
  files: FilesData.describe("What the turn changed"),
  denials: z.int().describe("Tool calls that the agent was denied"),
  retries: z
    .int()
    .meta({ description: "How often the turn was tried again after a failure; 0 for a branch of an earlier run" }),
  is_reused: z.boolean().describe("Whether it was explored by an earlier run, and cost nothing now"),
  error: z
    .strictObject({
      kind: z.string().describe("The kind of the error, as in `error.kind`"),
      message: z.string().describe("What went wrong"),
    })
    .nullable()
    .describe("Why it failed; null where it did not"),
});

export type BranchData = z.infer<typeof BranchData>;

export async function toBranchData(node: SearchNode<State, Transition>, retries = 0): Promise<BranchData> {
  const { transition } = node;
  const changes = transition ? await transition.filesChanged() : [];
  const reward = node.type === "reached" ? node.reward : undefined;
  return asData(BranchData, {
    ...node,
    retries,
    offline: transition?.execution.offline ?? false,
    scenario: transition?.execution.scenario,
    parentId: node.parentId ?? 0,
    outcome: outcomeOf(node),
    stateId: node.state?.id,
    reward: reward && { ...reward, notes: reward.notes ?? {} },
    files: toFilesData(changes.filter(isAboutFile)),
    denials: transition?.execution.permissionDenials.length ?? 0,
    error: node.type === "failed" ? node.error : transition?.execution.error,
  });
}

/** A branch's money, and whose it was. */
export function toCost({ cost_usd: costUsd, scenario }: BranchData): {
  readonly costUsd: number;
  readonly scenario?: string;
} {
  return { costUsd, ...(scenario === null ? {} : { scenario }) };
}

function outcomeOf(node: SearchNode<State, Transition>): BranchData["outcome"] {
  if (node.type === "failed") return node.error.kind === "cancelled" ? "cancelled" : "failed";
  return node.transition?.execution.outcome ?? "completed";
}

/** So many paths that branches lack are told; the others are counted. */
const MOST_NOT_CARRIED = 200;

export const ExploreData = z.strictObject({
  strategy: z.string().describe("How the search chose what to try next"),
  from: z.string().describe("The state that the search began at"),
  stopped: z.enum(["exhausted", "solved", "threshold", "budget", "cancelled"]).describe("Why the search ended"),
  best: z.int().nullable().describe("The id of the best branch; null where there were no rewards"),
  branches: z.array(BranchData).describe("All branches, those of an earlier run too, by their ids"),
  expansions: z.int().describe("Branches that were run now; those of an earlier run do not count"),
  cost_usd: z.number().describe("What the branches that were run now cost, in US dollars"),
  offline: z
    .boolean()
    .describe(
      "Whether every branch was the offline model's: then nothing was paid. The sums count its money by the price list, as budgets do",
    ),
  reused_cost_usd: z.number().describe("What those of an earlier run had cost then, in US dollars"),
  journal: z.string().describe("What is explored is kept in this file: the same search goes on from it"),
  own_path_reason: z
    .string()
    .nullable()
    .describe("Why agents saw branches at paths of their own, not at the workspace's; null where they did not"),
  not_carried: z
    .array(LeftOutData)
    .describe(
      "What is in the workspace and was not on the branches, the first 200 of it by path; `--carry` gives it to them",
    ),
  not_carried_count: z.int().describe("How much there is of that"),
  adopted: RestoreData.nullable().describe("What became of the workspace; null unless the best branch was adopted"),
});

export type ExploreData = z.infer<typeof ExploreData>;

export function toExploreData(
  result: SearchResult<State, Transition>,
  found: Pick<ExploreData, "strategy" | "from" | "branches" | "journal"> & {
    readonly ownPathReason: string | null;
    readonly notCarried: readonly NotCarried[];
  },
): ExploreData {
  const { branches, ...rest } = found;
  const data = asData(ExploreData.omit({ branches: true }), {
    ...result,
    ...rest,
    best: result.best?.id,
    offline: branches.length > 0 && branches.every((branch) => branch.offline),
    notCarried: rest.notCarried.slice(0, MOST_NOT_CARRIED),
    notCarriedCount: rest.notCarried.length,
  });
  return { ...data, branches };
}

/** An event of a search as a line of JSON; its end is the envelope, and has none. */
export function toEventData(
  event: SearchEvent<State, Transition>,
  { branch, strategy }: { readonly branch: BranchData | undefined; readonly strategy: string },
): unknown {
  switch (event.type) {
    case "search-start":
      return { ...event, strategy };
    case "branch-end":
    case "branch-failed":
      return { type: event.type, branch };
    case "search-end":
      return undefined;
    default:
      return toWire(event);
  }
}
