import { z } from "zod";
import type { SearchNode } from "../../search/index.ts";
import type { State, Transition } from "../../trace/index.ts";
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
  /** The how-manieth run of this prompt from this state. */
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
