export {
  ClaudeEnvironment,
  type ClaudeEnvironmentOptions,
  type ClaudeExploreOptions,
  type ExploreAllOptions,
} from "./claude-environment.ts";
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
  type EpisodeLimits,
  type GymInfo,
  type GymOptions,
  type GymSnapshot,
  type GymStep,
  type ResetOptions,
  type Observation,
} from "./gym-environment.ts";
export { createRandom, type Random } from "./random.ts";
export { commandReward, testReward, type TestFormat, type TestRewardOptions } from "./rewards/command-rewards.ts";
export { combineRewards, toReward, type WeightedReward, type RewardFunction } from "./rewards/reward.ts";
export { costReward, diffSize, durationReward, noToolErrors, type FileStep } from "./rewards/step-rewards.ts";
export { createFileJournal, type JournalEntry, type SearchJournal } from "./search-journal.ts";
export type { SearchOptions, Expand } from "./search-options.ts";
export {
  isReached,
  pathTo,
  type SearchEvent,
  type TaskStatus,
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
export {
  htn,
  type HtnOptions,
  type Ask,
  type CompoundTask,
  type LeafTask,
  type Method,
  type Task,
} from "./strategies/htn.ts";
export type { Widening } from "./strategies/mcts-tree.ts";
export { mcts, type MctsOptions } from "./strategies/mcts.ts";
export { refine, type RefineOptions } from "./strategies/refine.ts";
