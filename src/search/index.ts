export { ClaudeEnvironment, type ClaudeEnvironmentOptions, type ClaudeExploreOptions } from "./claude-environment.ts";
export type {
  Environment,
  Exploration,
  ExploreOptions,
  StepOutcome,
  Judge,
  Reward,
  RewardContext,
} from "./environment.ts";
export {
  GymEnvironment,
  type GymInfo,
  type GymOptions,
  type GymSnapshot,
  type GymStep,
  type Observation,
} from "./gym-environment.ts";
export { createRandom, type Random } from "./random.ts";
export { commandReward, testReward, type TestRewardOptions } from "./rewards/command-rewards.ts";
export { combineRewards, toReward, type RewardFunction } from "./rewards/reward.ts";
export { costReward, diffSize, durationReward, noToolErrors } from "./rewards/step-rewards.ts";
export { createFileJournal, type JournalEntry, type SearchJournal } from "./search-journal.ts";
export type { SearchOptions } from "./search-run.ts";
export {
  isReached,
  pathTo,
  type SearchEvent,
  type FailedNode,
  type ReachedNode,
  type SearchNode,
  type SearchResult,
  type SearchStopReason,
} from "./search-result.ts";
export type { Search, Strategy } from "./search.ts";
export { beamSearch, type BeamSearchOptions } from "./strategies/beam-search.ts";
export { bestOfN, type BestOfNOptions } from "./strategies/best-of-n.ts";
export { evolve, type EvolveOptions } from "./strategies/evolve.ts";
export { htn, type HtnOptions, type Ask, type LeafTask, type Task } from "./strategies/htn.ts";
export { mcts, type MctsOptions } from "./strategies/mcts.ts";
export { refine, type RefineOptions } from "./strategies/refine.ts";
