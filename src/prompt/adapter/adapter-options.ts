import type { Budget, BudgetTracker, Clock } from "../../core/internal.ts";
import type { ClaudeOptions, Engine, PermissionMode } from "../../engine/internal.ts";
import type { IsolationConfig } from "../../isolation/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { PromptSession } from "../session/prompt-session.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import { usageError } from "../usage-error.ts";

/** How an adapter runs evaluations; everything has a default. */
export interface AdapterOptions {
  /** What runs the turns; a `ClaudeEngine` by default. */
  readonly engine?: Engine;
  readonly model?: string;
  /** A home, an environment and a sandbox of its own for every evaluation. */
  readonly isolation?: IsolationConfig;
  /** A workspace that the evaluations work in, one after the other; it stays open. */
  readonly workspace?: Workspace;
  /** A directory to work in; without it and `workspace`, every evaluation has an empty one that is gone afterwards. */
  readonly cwd?: string;
  /** The Skein home that evaluations are recorded in. */
  readonly record?: string;
  /** Model responses that an evaluation may take. */
  readonly maxResponses?: number;
  readonly permissionMode?: PermissionMode;
  /** Ends the turn once an answer in the prompt's shape was given and accepted; true by default. */
  readonly stopOnStructuredOutput?: boolean;
  /** Makes every call that may write files a transaction, native or bridged; false by default. */
  readonly transactions?: boolean;
  /** Rules about tool calls, beside those of the prompts. */
  readonly policies?: readonly ToolPolicy[];
  /** How often an agent is sent back to work that is not complete; 5 by default. */
  readonly maxRounds?: number;
  /** Time that a tool of the prompt may take without a heartbeat; no limit by default. */
  readonly toolIdleTimeoutMs?: number;
  /** Further options for the turns. Hooks and tool servers given here are there beside the adapter's own. */
  readonly options?: Omit<
    ClaudeOptions,
    "cwd" | "resume" | "forkSession" | "continue" | "sessionStore" | "outputSchema"
  >;
  readonly clock?: Clock;
}

/** What can be said for one evaluation. */
export interface EvaluateOptions {
  readonly session: PromptSession;
  /** When it has to be over, in milliseconds since 1970. */
  readonly deadline?: number;
  readonly budget?: Budget;
  /** A budget that this evaluation shares with others. */
  readonly budgetTracker?: BudgetTracker;
  readonly signal?: AbortSignal;
  /** A conversation, state or checkpoint of the workspace to go on from, as `Conversation.load` takes it. */
  readonly from?: string;
}

/** Refuses what cannot work; the turns' own options are checked by the engine before it starts a process. */
export function checkAdapter({ workspace, cwd, record, maxRounds, toolIdleTimeoutMs }: AdapterOptions): void {
  if (workspace && (cwd !== undefined || record !== undefined)) {
    throw usageError("workspace", "A workspace has its own directory and record", "Leave out cwd and record.");
  }
  if (maxRounds !== undefined && !(Number.isInteger(maxRounds) && maxRounds >= 0)) {
    throw usageError(
      "maxRounds",
      `maxRounds must be a whole number of 0 or more, not ${maxRounds}`,
      "5 is the default.",
    );
  }
  if (toolIdleTimeoutMs !== undefined && !(toolIdleTimeoutMs > 0)) {
    throw usageError("toolIdleTimeoutMs", "toolIdleTimeoutMs must be more than 0", "Leave it out for no limit.");
  }
}

export function checkEvaluation(
  { session, deadline, from }: EvaluateOptions,
  { workspace, cwd }: AdapterOptions,
): void {
  if (!(session instanceof PromptSession)) {
    throw usageError("session", "An evaluation needs a session", "Make one with new PromptSession().");
  }
  if (deadline !== undefined && !Number.isFinite(deadline)) {
    throw usageError(
      "deadline",
      "The deadline is not a time",
      "Give milliseconds since 1970, such as Date.now() + 60_000.",
    );
  }
  if (from !== undefined && !workspace && cwd === undefined) {
    throw usageError(
      "from",
      "An empty directory has nothing to continue from",
      "Give the adapter a workspace or a cwd.",
    );
  }
}
