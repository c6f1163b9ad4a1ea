import { defined } from "../core/internal.ts";
import type { SearchEvent, SearchNode } from "./search-result.ts";

/** An event of a search as it is told: a node by the key of its state and what it came to, the result by its sums. */
export function toldEvent<State, Step>(
  event: SearchEvent<State, Step>,
  keyOf: (state: State) => string,
): { readonly type: string } {
  if (event.type === "branch-end" || event.type === "branch-failed") {
    return { type: event.type, ...toldNode(event.node, keyOf) };
  }
  if (event.type !== "search-end") return event;
  const { best, expansions, costUsd, reusedCostUsd, stopped } = event.result;
  const sums = { expansions, costUsd, reusedCostUsd, stopped };
  return { type: event.type, ...defined({ best: best?.id }), ...sums };
}

function toldNode<State, Step>(node: SearchNode<State, Step>, keyOf: (state: State) => string): object {
  const { id, parentId, depth, prompt, attempt, costUsd, tokens, durationMs, isReused, state } = node;
  const stateId = state === undefined ? undefined : keyOf(state);
  const cameTo = node.type === "reached" ? { reward: node.reward } : { error: node.error };
  return {
    ...defined({ id, parentId, depth, prompt, attempt, stateId, ...cameTo }),
    costUsd,
    tokens,
    durationMs,
    isReused,
  };
}
