import { z } from "zod";
import { BudgetTracker, defined, SkeinError, type Budget } from "../core/internal.ts";
import type { ClaudeOptions, Engine } from "../engine/internal.ts";
import type { IsolationConfig } from "../isolation/internal.ts";
import type { WorkspaceOptions } from "../workspace/internal.ts";
import { parsePlan, type PlanInput } from "./plan.ts";
import type { TeamAnswer, TeamQuestion } from "./team-events.ts";
import type { TeamSettings } from "./team-journal.ts";
import type { Attempts } from "./worker.ts";

/** A manager and its workers: who they are, and how far they may go. */
export interface DualAgentOptions {
  /** The directory that the goal is about. It is untouched until an item is accepted. */
  readonly workspace: string;
  /** How it is opened. */
  readonly workspaceOptions?: WorkspaceOptions;
  /** What runs the turns; the Claude Code CLI by default. */
  readonly engine?: Engine;
  /** Options for the manager's turns, over `createDualAgentOptions("manager")`; it reads, and changes nothing. */
  readonly manager?: ClaudeOptions;
  /** Options for the workers' turns, over `createDualAgentOptions("worker")`; several kinds where an item may be given to another. */
  readonly worker?: ClaudeOptions | readonly ClaudeOptions[];
  /** How many items are worked on at once; 1 by default. */
  readonly workers?: number;
  /** Shell commands that have to end with exit code 0 before an item may be accepted. They run on the worker's files, in the worker's sandbox. */
  readonly gates?: readonly string[];
  /** Globs of files that no worker may change; without a slash, in every folder. A plan may add to them. */
  readonly protect?: readonly string[];
  /** The plan, where the manager is not to make one. */
  readonly plan?: PlanInput;
  /** Whether a person has to approve the plan; needs `ask`. */
  readonly approvePlan?: boolean;
  /** How often an attempt is sent back before it has failed; 3 by default. */
  readonly maxRounds?: number;
  /** How often an item is begun anew; 2 by default. */
  readonly maxAttempts?: number;
  /** Turns of workers in all; 50 by default. */
  readonly maxIterations?: number;
  /** One budget for everything: limits, or a tracker that is shared with others. */
  readonly budget?: Budget | BudgetTracker;
  /** Keeps the workers, the manager and the gates apart from the machine. */
  readonly isolation?: IsolationConfig;
  /** Whether the engine isolates each turn already, by the same configuration: then it holds for the gates alone. */
  readonly isIsolated?: boolean;
  /** Does each round of work by a search in place of one turn. */
  readonly attempts?: Attempts;
  /** Asks a person about a plan, or an item that nobody gets on with; `remote` asks by way of `skein serve`. Without it such an item stays undone. */
  readonly ask?: "remote" | ((question: TeamQuestion, signal: AbortSignal) => Promise<TeamAnswer>);
  /** How long a person has to answer; an hour by default. */
  readonly askTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const Amounts = z.object({
  workers: z.int().min(1).max(64).default(1),
  maxRounds: z.int().min(1).max(100).default(3),
  maxAttempts: z.int().min(1).max(100).default(2),
  maxIterations: z.int().min(1).max(10_000).default(50),
  askTimeoutMs: z
    .number()
    .positive()
    .max(2 ** 31 - 1)
    .default(3_600_000),
});

/** Checks what a team is told, before anything is opened or run. */
export function toTeamSettings(goal: string, options: DualAgentOptions): TeamSettings {
  const { gates = [], protect = [], plan, approvePlan = false, ask } = options;
  if (goal.trim() === "") throw usage("goal", "The goal is empty", "Say what the team should bring about");
  const { workers, maxRounds, maxAttempts, maxIterations } = checkAmounts(options);
  const empty = protect.find((glob) => glob.trim() === "");
  if (empty !== undefined) throw usage("protect", "A glob of protected files is empty", "Leave it out");
  if (approvePlan && !ask) throw usage("approvePlan", "Nobody can be asked to approve the plan", "Give `ask`, too");
  return {
    goal,
    workers,
    maxRounds,
    maxAttempts,
    maxIterations,
    approvePlan,
    gates: [...gates],
    protect: [...protect],
    ...(plan === undefined ? {} : { plan: parsePlan(plan) }),
  };
}

/** What a team that goes on may be told otherwise: how many work at once, and how many turns they have in all. */
export function resumedSettings(before: TeamSettings, { workers, maxIterations }: DualAgentOptions): TeamSettings {
  const settings = { ...before, ...defined({ workers, maxIterations }) };
  checkAmounts(settings);
  return settings;
}

/** A tracker of the team's own for limits; the caller's own where one is given. */
export function toBudget(budget: DualAgentOptions["budget"]): BudgetTracker | undefined {
  return budget === undefined || budget instanceof BudgetTracker ? budget : new BudgetTracker(budget);
}

function checkAmounts(options: object): z.infer<typeof Amounts> {
  const { data, error } = Amounts.safeParse(options);
  if (data) return data;
  const [issue] = error.issues;
  const target = String(issue?.path[0] ?? "options");
  throw usage(target, `${target}: ${issue?.message ?? "it is not valid"}`, "Give a whole number of 1 or more");
}

function usage(target: string, message: string, hint: string): SkeinError {
  return new SkeinError(message, { kind: "usage", target, hint });
}
