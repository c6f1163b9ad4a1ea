// What other rooms use of this one; users have `index.ts`.
export { DualAgent } from "./dual-agent.ts";
export { WORK_STEP } from "./desk.ts";
export { GateResult } from "./gates.ts";
export { parsePlan, Plan, WorkItem } from "./plan.ts";
export { listTeams, readTeamLines, type TeamJournalLine, type TeamSettings } from "./team-journal.ts";
export type { ItemStatus, TeamAnswer, TeamEvent, TeamQuestion, TeamResult } from "./team-events.ts";
export type { DualAgentOptions } from "./team-options.ts";
export { Remedy, Verdict } from "./verdict.ts";
