import { z } from "zod";
import type { SearchEvent, SearchResult, SearchNode } from "../../search/index.ts";
import type { State, Transition } from "../../trace/index.ts";
import type { NotCarried } from "../../workspace/index.ts";
import { LeftOutData, toLeftOutData } from "../states/left-out.ts";
import { RestoreData } from "../states/restore-here.ts";
import { toWire } from "../../protocol/index.ts";
import { FilesData, isAboutFile, toFilesData } from "../turn/files-data.ts";

/** One exploration of a search, as the envelope tells it. */
export const BranchData = z.strictObject({
  /** Counted from 1 in the order in which the search asked for them. */
  id: z.int(),
  /** The branch that it went on from; 0 is where the search began. */
  parent_id: z.int(),
  /** Turns since the beginning of the search. */
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
  tokens: z.int(),
  duration_ms: z.number(),
  files: FilesData,
  /** Tool calls that the agent was denied. */
  denials: z.int(),
  /** Whether it was explored by an earlier run, and cost nothing now. */
  is_reused: z.boolean(),
  error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
});

/** One exploration of a search, as the envelope tells it. */
export type BranchData = z.infer<typeof BranchData>;

/** Puts an exploration into the words of the envelope. */
export async function toBranchData(node: SearchNode<State, Transition>): Promise<BranchData> {
  const { transition } = node;
  const changes = transition ? await transition.filesChanged() : [];
  const reward = node.type === "reached" ? node.reward : undefined;
  return {
    id: node.id,
    parent_id: node.parentId ?? 0,
    depth: node.depth,
    prompt: node.prompt,
    attempt: node.attempt,
    outcome: outcomeOf(node),
    state_id: node.state?.id ?? null,
    reward: reward ? { value: reward.value, parts: { ...reward.parts }, notes: { ...reward.notes } } : null,
    cost_usd: node.costUsd,
    tokens: node.tokens,
    duration_ms: node.durationMs,
    files: toFilesData(changes.filter(isAboutFile)),
    denials: transition?.execution.permissionDenials.length ?? 0,
    is_reused: node.isReused,
    error: errorOf(node),
  };
}

function outcomeOf(node: SearchNode<State, Transition>): BranchData["outcome"] {
  if (node.type === "failed") return node.error.kind === "cancelled" ? "cancelled" : "failed";
  return node.transition?.execution.outcome ?? "completed";
}

function errorOf(node: SearchNode<State, Transition>): BranchData["error"] {
  const error = node.type === "failed" ? node.error : node.transition?.execution.error;
  return error ? { kind: error.kind, message: error.message } : null;
}

/** So many paths that branches lack are told; the others are counted. */
const MOST_NOT_CARRIED = 200;

/** What a search came to, as the envelope tells it. */
export const ExploreData = z.strictObject({
  strategy: z.string(),
  /** The state where it began. */
  from: z.string(),
  /** Why it ended. */
  stopped: z.enum(["exhausted", "solved", "threshold", "budget", "cancelled"]),
  /** The id of the best branch; null where there were no rewards. */
  best: z.int().nullable(),
  branches: z.array(BranchData),
  /** Branches that were run now, and what they cost; those of an earlier run do not count. */
  expansions: z.int(),
  cost_usd: z.number(),
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

/** What a search came to, as the envelope tells it. */
export type ExploreData = z.infer<typeof ExploreData>;

/** Puts a result into the words of the envelope; the branches were put into them as they ended. */
export function toExploreData(
  result: SearchResult<State, Transition>,
  rest: Pick<ExploreData, "strategy" | "from" | "branches" | "journal" | "own_path_reason"> & {
    readonly notCarried: readonly NotCarried[];
  },
): ExploreData {
  return {
    strategy: rest.strategy,
    from: rest.from,
    stopped: result.stopped,
    best: result.best?.id ?? null,
    branches: rest.branches,
    expansions: result.expansions,
    cost_usd: result.costUsd,
    reused_cost_usd: result.reusedCostUsd,
    journal: rest.journal,
    own_path_reason: rest.own_path_reason,
    not_carried: toLeftOutData(rest.notCarried.slice(0, MOST_NOT_CARRIED)),
    not_carried_count: rest.notCarried.length,
    adopted: null,
  };
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
