import { basename } from "node:path";
import { microUsd, sumMicroUsd, toSkeinError, toUsd } from "../../core/internal.ts";
import type { StateReader } from "../../trace/internal.ts";
import type { OpenWorkspaces } from "../api/workspaces/open-workspaces.ts";

/** What agents in a workspace may spend, as it is configured. */
export interface WorkspaceBudget {
  /** What one call of a command may spend, in US dollars. */
  readonly maxCostUsd?: number;
  /** What a conversation may spend. */
  readonly maxConversationCostUsd?: number;
}

/** A workspace's limits beside what the conversations spent that are nearest to theirs. */
export interface BudgetState extends WorkspaceBudget {
  readonly workspaceId: string;
  readonly workspace: string;
  /** Why the limits cannot be told. */
  readonly problem?: string;
  /** The one that spent most first; none without a limit for conversations. */
  readonly conversations: readonly {
    readonly id: string;
    readonly firstPrompt: string;
    readonly updatedAtMs: number;
    readonly spentUsd: number;
  }[];
}

interface BudgetSources {
  readonly workspaces: Pick<OpenWorkspaces, "list">;
  readonly states: StateReader;
  readonly budgetOf: ((workspace: string) => Promise<WorkspaceBudget>) | undefined;
}

/** How many of a workspace's conversations are looked at, the one changed last first, and how many are told. */
const LOOKED_AT = 200;
const MOST_TOLD = 5;

const MOST_PROMPT_CHARACTERS = 200;

/** The limits of all workspaces that have any. A turn of the offline model counts by the price list, as limits count it. */
export async function readBudgets({ workspaces, states, budgetOf }: BudgetSources): Promise<readonly BudgetState[]> {
  const budgets: BudgetState[] = [];
  if (!budgetOf) return budgets;
  for (const { id, store } of await workspaces.list()) {
    const of = { workspaceId: id, workspace: store.workspace };
    try {
      const budget = await budgetOf(store.workspace);
      if (budget.maxCostUsd === undefined && budget.maxConversationCostUsd === undefined) continue;
      const isLimited = budget.maxConversationCostUsd !== undefined;
      budgets.push({ ...of, ...budget, conversations: isLimited ? await spenders(states, id) : [] });
    } catch (error) {
      budgets.push({ ...of, problem: toSkeinError(error).message, conversations: [] });
    }
  }
  return budgets;
}

async function spenders(states: StateReader, id: string): Promise<BudgetState["conversations"]> {
  const { found } = await states.conversations({
    among: ({ home }) => basename(home) === id,
    limit: LOOKED_AT,
    offset: 0,
  });
  return found
    .map(({ summary: { id: conversation, firstPrompt, updatedAtMs, costUsd, offlineCostUsd } }) => ({
      id: conversation,
      firstPrompt: firstPrompt.slice(0, MOST_PROMPT_CHARACTERS),
      updatedAtMs,
      spentUsd: toUsd(sumMicroUsd([microUsd(costUsd), microUsd(offlineCostUsd)])),
    }))
    .filter(({ spentUsd }) => spentUsd > 0)
    .toSorted((left, right) => right.spentUsd - left.spentUsd || right.updatedAtMs - left.updatedAtMs)
    .slice(0, MOST_TOLD);
}
