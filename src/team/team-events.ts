import type { BudgetEnd, ErrorRecord } from "../core/internal.ts";
import type { FileChange } from "../snapshot/index.ts";
import type { StateId } from "../workspace/internal.ts";
import type { GateResult } from "./gates.ts";
import type { WorkItem } from "./plan.ts";
import type { Remedy, Verdict } from "./verdict.ts";

/** What a team does at the time: the whole of it, not of one item. */
export type TeamPhase = "plan" | "work" | "review" | "integrate";

/** How far an item is, or how it ended. */
export type ItemStatus =
  | "waiting"
  | "working"
  | "reviewing"
  | "integrating"
  | "merged"
  | "skipped"
  | "replaced"
  | "escalated"
  | "blocked";

/** One try at an item: which worker, which attempt from its beginning, which round of that attempt. */
export interface Round {
  readonly item: string;
  readonly worker: number;
  readonly attempt: number;
  readonly round: number;
}

/** Who said whether an item is approved: the evidence alone, or the manager. */
export type Judge = "evidence" | "gates" | "manager" | "person";

/** What happens in a team, in order. What a team that was cut off had done already is told again with `isReused`. The `wayBack` of a merged item is the state before it. */
export type TeamEvent =
  | {
      readonly type: "team-start";
      readonly team: string;
      readonly goal: string;
      readonly workers: number;
      readonly isResumed: boolean;
    }
  | { readonly type: "phase-changed"; readonly phase: TeamPhase }
  | { readonly type: "plan-made"; readonly items: readonly WorkItem[]; readonly protect: readonly string[] }
  | { readonly type: "plan-refused"; readonly problem: string }
  | ({ readonly type: "item-started"; readonly title: string; readonly stateId: StateId } & Round)
  | ({
      readonly type: "worker-finished";
      readonly stateId: StateId;
      readonly conversationId: string;
      readonly costUsd: number;
      readonly offline: boolean;
      readonly isReused: boolean;
    } & Round)
  | ({
      readonly type: "evidence-gathered";
      readonly stateId: StateId;
      readonly changes: readonly FileChange[];
      readonly gates: readonly GateResult[];
      readonly violations: readonly string[];
      readonly toolErrors: number;
    } & Round)
  | ({ readonly type: "verdict"; readonly by: Judge; readonly verdict: Verdict } & Round)
  | ({ readonly type: "item-stuck"; readonly reason: string } & Round)
  | { readonly type: "remedy-chosen"; readonly item: string; readonly remedy: Remedy }
  | { readonly type: "item-conflict"; readonly item: string; readonly paths: readonly string[] }
  | {
      readonly type: "item-merged";
      readonly item: string;
      readonly stateId: StateId;
      readonly wayBack: StateId;
    }
  | { readonly type: "item-ended"; readonly item: string; readonly status: ItemStatus; readonly reason: string }
  | { readonly type: "escalated"; readonly question: TeamQuestion }
  | { readonly type: "answered"; readonly questionId: string; readonly answer: TeamAnswer }
  | { readonly type: "team-end"; readonly result: TeamResult };

/** What a person is asked. */
export interface TeamQuestion {
  readonly id: string;
  readonly kind: "plan" | "item";
  /** The item that it is about. */
  readonly item?: string;
  /** What is asked, with all that is needed to decide. */
  readonly text: string;
  readonly choices: readonly TeamAnswer["choice"][];
}

/** What a person decided; `unanswered` where nobody did in time, or nobody can be asked. */
export interface TeamAnswer {
  readonly choice: "approve" | "retry" | "skip" | "stop" | "unanswered";
  /** What is to be done otherwise, in words for the manager or the worker. */
  readonly message?: string;
}

/**
 * How a team came to its end. `completed`: every item is merged or was left out on purpose. `partial`: some are not done. `stopped`: a person did not
 * want the plan, or ended the team. The others say what ran out, or that it failed.
 */
export type TeamOutcome =
  | "completed"
  | "partial"
  | "budget"
  | "deadline"
  | "iterations"
  | "cancelled"
  | "stopped"
  | "failed";

/** What became of an item. */
export interface ItemResult {
  readonly id: string;
  readonly title: string;
  readonly status: ItemStatus;
  readonly reason?: string;
  readonly attempts: number;
  readonly rounds: number;
  readonly costUsd: number;
  /** The state with its work, in the worker's conversation. */
  readonly stateId?: StateId;
  /** The state of the directory with its work in it. */
  readonly mergedStateId?: StateId;
}

/** What a team came to. */
export interface TeamResult {
  readonly team: string;
  readonly outcome: TeamOutcome;
  readonly items: readonly ItemResult[];
  /** The ids of the items whose work is in the directory, in the order in which it came. */
  readonly merged: readonly string[];
  /** Those that are approved and not in the directory. */
  readonly done: readonly string[];
  /** Those that nobody has done. */
  readonly left: readonly string[];
  /** What everything cost; of offline turns what the price list says. */
  readonly costUsd: number;
  readonly managerCostUsd: number;
  readonly workerCostUsd: number;
  /** Whether the offline model answered every turn, so that nobody paid. */
  readonly offline: boolean;
  /** Turns of workers. */
  readonly iterations: number;
  readonly durationMs: number;
  /** What ran out. */
  readonly budgetEnd?: BudgetEnd;
  readonly error?: ErrorRecord;
}
