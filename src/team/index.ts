export { DualAgent } from "./dual-agent.ts";
export { parsePlan, type Plan, type PlanInput, type WorkItem } from "./plan.ts";
export type {
  ItemResult,
  ItemStatus,
  TeamAnswer,
  TeamEvent,
  TeamOutcome,
  TeamQuestion,
  TeamResult,
} from "./team-events.ts";
export type { DualAgentOptions } from "./team-options.ts";
export type { Remedy, Verdict } from "./verdict.ts";
export type { AttemptOptions, Attempts } from "./worker.ts";
