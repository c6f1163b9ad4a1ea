// What other rooms use of this one; users have `index.ts`.
export { DualAgent } from "./dual-agent.ts";
export { parsePlan } from "./plan.ts";
export type { ItemStatus, TeamAnswer, TeamEvent, TeamQuestion, TeamResult } from "./team-events.ts";
export type { DualAgentOptions } from "./team-options.ts";
