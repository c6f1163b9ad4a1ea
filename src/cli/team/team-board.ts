import { microUsd, sumMicroUsd, toUsd } from "../../core/internal.ts";
import type { ItemStatus, TeamEvent } from "../../team/internal.ts";

/** An item as it stands on the board. */
export interface BoardItem {
  readonly id: string;
  readonly title: string;
  readonly status: ItemStatus;
  /** What is done with it now, or how it ended. */
  readonly now: string;
  readonly attempt: number;
  readonly round: number;
  readonly costUsd: number;
  readonly isOffline: boolean;
}

/** What a team looks like at one moment. */
export interface Board {
  readonly phase: string;
  readonly items: readonly BoardItem[];
  /** What the workers cost so far. */
  readonly costUsd: number;
}

/** The board after one more thing has happened. */
export function addToBoard(board: Board, event: TeamEvent): Board {
  switch (event.type) {
    case "phase-changed":
      return { ...board, phase: event.phase };
    case "plan-made":
      return { ...board, items: event.items.map(({ id, title }) => ({ ...NEW, id, title })) };
    case "item-started": {
      const { item: id, title, attempt } = event;
      const known = board.items.some((item) => item.id === id);
      const items = known ? board.items : [...board.items, { ...NEW, id, title }];
      return change({ ...board, items }, id, { status: "working", now: "a worker works on it", attempt, round: 1 });
    }
    case "worker-finished": {
      const { item, costUsd, round, offline: isOffline } = event;
      const before = board.items.find(({ id }) => id === item)?.costUsd ?? 0;
      const whole = { ...board, costUsd: add(board.costUsd, costUsd) };
      return change(whole, item, {
        costUsd: add(before, costUsd),
        isOffline,
        round,
        status: "reviewing",
        now: "the gates run",
      });
    }
    case "evidence-gathered":
      return change(board, event.item, { now: "the manager looks at it" });
    case "verdict": {
      const { approved, issues } = event.verdict;
      const next = { round: event.round + (approved ? 0 : 1) };
      if (approved) return change(board, event.item, { ...next, status: "integrating", now: "approved, being merged" });
      return change(board, event.item, {
        ...next,
        status: "working",
        now: `sent back: ${issues[0]?.split("\n")[0] ?? ""}`,
      });
    }
    case "item-conflict":
      return change(board, event.item, { status: "working", now: "settles a conflict" });
    case "item-merged":
      return change(board, event.item, { status: "merged", now: "merged" });
    case "item-ended":
      return change(board, event.item, {
        status: event.status,
        now: event.status === "merged" ? "merged" : event.reason,
      });
    case "escalated":
      return event.question.item === undefined ? board : change(board, event.question.item, { now: "waits for you" });
    case "item-stuck":
    case "remedy-chosen":
    case "answered":
    case "plan-refused":
    case "team-start":
    case "team-end":
      return board;
  }
}

const NEW = { status: "waiting", now: "", attempt: 0, round: 0, costUsd: 0, isOffline: false } as const;

function change(board: Board, id: string, part: Partial<BoardItem>): Board {
  return { ...board, items: board.items.map((item) => (item.id === id ? { ...item, ...part } : item)) };
}

function add(left: number, right: number): number {
  return toUsd(sumMicroUsd([microUsd(left), microUsd(right)]));
}
