// What other rooms use of this one; users have `index.ts`.
export { ClaudeEnvironment, type ClaudeEnvironmentOptions } from "./claude-environment.ts";
export type { Environment, Exploration, ExploreOptions, Reward, StepOutcome } from "./environment.ts";
export { commandReward, testReward } from "./rewards/command-rewards.ts";
export { toReward, type RewardFunction } from "./rewards/reward.ts";
export { createFileJournal } from "./search-journal.ts";
export type { BranchPlace, ReachedNode, SearchEvent, SearchNode, SearchResult } from "./search-result.ts";
export type { BranchWatch, SearchOptions } from "./search-run.ts";
export type { Search } from "./search.ts";
export { beamSearch } from "./strategies/beam-search.ts";
export { bestOfN } from "./strategies/best-of-n.ts";
export { htn, type Ask, type Task } from "./strategies/htn.ts";
export { mcts } from "./strategies/mcts.ts";
export { refine } from "./strategies/refine.ts";
