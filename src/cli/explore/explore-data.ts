import { z } from "zod";
import type { SearchEvent, SearchResult, SearchNode } from "../../search/internal.ts";
import type { State, Transition } from "../../trace/internal.ts";
import type { NotCarried } from "../../workspace/internal.ts";
import { offlineFields } from "../turn/turn-data.ts";
import { LeftOutData } from "../states/left-out.ts";
import { RestoreData } from "../states/restore-here.ts";
import { asData, toWire } from "../../protocol/index.ts";
import { FilesData, isAboutFile, toFilesData } from "../turn/files-data.ts";

export const BranchData = z.strictObject({
  /** Counted from 1 in the order in which the search asked for them. */
  id: z.int(),
  /** The branch that it went on from; 0 is where the search began. */
  parent_id: z.int(),
  depth: z.int(),
  prompt: z.string(),
  /** Which run of this prompt from this state it is, counted from 1. */
  attempt: z.int(),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]),
  /** Where it led to; null where it did not come that far. */
  state_id: z.string().nullable(),
  reward: z
    .strictObject({
      value: z.number(),
      parts: z.record(z.string(), z.number()),
      notes: z.record(z.string(), z.string()),
    })
    .nullable(),
  cost_usd: z.number(),
  ...offlineFields,
  tokens: z.int(),
  duration_ms: z.number(),
  files: FilesData,
  /** Tool calls that the agent was denied. */
  denials: z.int(),
  retries: z
    .int()
    .meta({ description: "How often the turn was tried again after a failure; 0 for a branch of an earlier run" }),
  /** Whether it was explored by an earlier run, and cost nothing now. */
  is_reused: z.boolean(),
  error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
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

function outcomeOf(node: SearchNode<State, Transition>): BranchData["outcome"] {
  if (node.type === "failed") return node.error.kind === "cancelled" ? "cancelled" : "failed";
  return node.transition?.execution.outcome ?? "completed";
}

/** So many paths that branches lack are told; the others are counted. */
const MOST_NOT_CARRIED = 200;

export const ExploreData = z.strictObject({
  strategy: z.string(),
  from: z.string(),
  stopped: z.enum(["exhausted", "solved", "threshold", "budget", "cancelled"]),
  /** The id of the best branch; null where there were no rewards. */
  best: z.int().nullable(),
  branches: z.array(BranchData),
  /** Branches that were run now, and what they cost; those of an earlier run do not count. */
  expansions: z.int(),
  cost_usd: z.number(),
  /** Whether every branch was the offline model's: then nothing was paid. The sums count its money by the price list, as budgets do. */
  offline: z.boolean(),
  /** What those of an earlier run had cost then. */
  reused_cost_usd: z.number(),
  /** What is explored is kept here: the same search goes on from it. */
  journal: z.string(),
  /** Why agents saw branches at paths of their own, not at the workspace's; null where they did not. */
  own_path_reason: z.string().nullable(),
  /** What lies in the workspace and was not on the branches, the first 200 of it by path; `--carry` gives it to them. */
  not_carried: z.array(LeftOutData),
  not_carried_count: z.int(),
  /** What became of the workspace; null unless the best branch was adopted. */
  adopted: RestoreData.nullable(),
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
