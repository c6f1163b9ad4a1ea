import type { ItemStatus } from "../../team/internal.ts";
import type { LineOf } from "./team-line.ts";

type Item = LineOf<"plan-made">["items"][number];
type Evidence = LineOf<"evidence-gathered">;
type Said = LineOf<"verdict">;

/** One piece of the plan, as far as it is. */
export interface StoryItem extends Item {
  readonly status: ItemStatus;
  /** Why it ended so. */
  readonly reason?: string;
  readonly attempts: number;
  /** The lane of the worker that has it, from 1. */
  readonly lane?: number;
  readonly mergedStateId?: string;
  readonly wayBack?: string;
}

/** One round of work: from its beginning to what was said about it. */
export interface StoryRound {
  readonly item: string;
  readonly lane: number;
  readonly worker: number;
  readonly attempt: number;
  readonly round: number;
  readonly startedAt: string;
  /** The state that the work is measured against. */
  readonly baseStateId?: string;
  /** When the worker's turn was over; undefined while it goes on. */
  readonly finishedAt?: string;
  readonly stateId?: string;
  readonly conversationId?: string;
  readonly costUsd: number;
  readonly offline: boolean;
  readonly evidenceAt?: string;
  readonly changes?: Evidence["changes"];
  readonly gates: Evidence["gates"];
  readonly violations: readonly string[];
  readonly toolErrors: number;
  readonly judgedAt?: string;
  readonly by?: Said["by"];
  readonly verdict?: Said["verdict"];
}

/** What the manager did: its plan, a look at a round's evidence, what becomes of an item that is not done. */
export interface StoryReview {
  readonly kind: "plan" | "review" | "remedy";
  readonly item?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** The worker's state that it looked at. */
  readonly workStateId?: string;
}

/** Something that one in the team gives to another. */
export interface Handoff {
  readonly at: string;
  readonly type:
    | "plan"
    | "plan-refused"
    | "assigned"
    | "evidence"
    | "verdict"
    | "stuck"
    | "remedy"
    | "conflict"
    | "merged"
    | "ended"
    | "escalated"
    | "answered";
  readonly from: string;
  readonly to: string;
  readonly item?: string;
  readonly stateId?: string;
  /** What is given, in a line. */
  readonly text: string;
}

/** All that is known of a team. */
export interface TeamStory {
  readonly phase?: string;
  readonly outcome?: string;
  readonly items: readonly StoryItem[];
  readonly rounds: readonly StoryRound[];
  readonly reviews: readonly StoryReview[];
  readonly handoffs: readonly Handoff[];
  readonly protect: readonly string[];
}
