import type { LogLine } from "../../data/run-log.ts";
import { fieldsOf, textOf } from "../../parts/tool-words.ts";

/** A turn of a search, as its events tell it. */
export interface SearchTurn {
  readonly id: number;
  readonly depth: number;
  readonly prompt: string;
  readonly attempt: number;
  readonly state: "running" | "completed" | "failed";
  readonly stateId: string | undefined;
  readonly reward: number | undefined;
  readonly costUsd: number | undefined;
  readonly durationMs: number | undefined;
  readonly error: string | undefined;
  readonly isBest: boolean;
}

/** The turns of a search, each below the one that it goes on from. */
export function searchTurns(lines: readonly LogLine[]): readonly SearchTurn[] {
  const turns = new Map<number, SearchTurn & { readonly parentId: number }>();
  let best: unknown;
  for (const { event } of lines) {
    if (event.type === "search-end") best = event["best"];
    if (event.type !== "branch-start" && event.type !== "branch-end") continue;
    const id = numberIn(event, "id") ?? 0;
    const hasEnded = event.type === "branch-end";
    const error = textOf(fieldsOf(event["error"]), "message") || textOf(event, "error") || undefined;
    const stateId = textOf(event, "state_id") || undefined;
    turns.set(id, {
      id,
      parentId: numberIn(event, "parent_id") ?? 0,
      depth: numberIn(event, "depth") ?? 1,
      prompt: textOf(event, "prompt"),
      attempt: numberIn(event, "attempt") ?? 1,
      state: hasEnded ? (error !== undefined || stateId === undefined ? "failed" : "completed") : "running",
      stateId,
      reward: numberIn(fieldsOf(event["reward"]), "value"),
      costUsd: numberIn(event, "cost_usd"),
      durationMs: numberIn(event, "duration_ms"),
      error,
      isBest: false,
    });
  }
  return below(0, [...turns.values()]).map((turn) => ({ ...turn, isBest: turn.id === best }));
}

type Placed = SearchTurn & { readonly parentId: number };

function below(parent: number, turns: readonly Placed[], seen = new Set<number>()): readonly Placed[] {
  return turns
    .filter(({ parentId, id }) => parentId === parent && id !== parent && !seen.has(id))
    .flatMap((turn) => [turn, ...below(turn.id, turns, seen.add(turn.id))]);
}

function numberIn(fields: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" ? value : undefined;
}
