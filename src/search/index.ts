export {
  ClaudeEnvironment,
  type ClaudeEnvironmentOptions,
  type ClaudeExploreOptions,
  type ExploreAllOptions,
} from "./claude-environment.ts";
export type { Environment, Exploration, ExploreOptions, StepOutcome } from "./environment.ts";
export {
  GymEnvironment,
  type EpisodeLimits,
  type GymInfo,
  type GymOptions,
  type GymSnapshot,
  type GymStep,
  type ResetOptions,
} from "./gym-environment.ts";
export type { Observation } from "./observation.ts";
export { createRandom, type Random } from "./random.ts";
export { combineRewards, type WeightedReward } from "./rewards/combine-rewards.ts";
export { commandReward } from "./rewards/command-reward.ts";
export { toReward, type Judge, type Reward, type RewardContext, type RewardFunction } from "./rewards/reward.ts";
export { costReward, diffSize, durationReward, noToolErrors, type FileStep } from "./rewards/step-rewards.ts";
export { testReward, type TestFormat, type TestRewardOptions } from "./rewards/test-reward.ts";
export type { SearchEvent, TaskStatus } from "./search-event.ts";
export { createFileJournal, type JournalEntry, type SearchJournal } from "./search-journal.ts";
export { isReached, pathTo, type FailedNode, type ReachedNode, type SearchNode } from "./search-node.ts";
export type { SearchOptions, SearchResult, SearchStopReason } from "./search-options.ts";
export type { Search, Strategy } from "./search.ts";
export { beamSearch, type BeamSearchOptions } from "./strategies/beam-search.ts";
export { bestOfN, type BestOfNOptions } from "./strategies/best-of-n.ts";
export { evolve, type EvolveOptions } from "./strategies/evolve.ts";
export type { Expand } from "./strategies/expand.ts";
export { htn, type HtnOptions } from "./strategies/htn.ts";
export { mcts, type MctsOptions } from "./strategies/mcts.ts";
export type { Widening } from "./strategies/mcts-tree.ts";
export { refine, type RefineOptions } from "./strategies/refine.ts";
export type { Ask, CompoundTask, LeafTask, Method, Task } from "./strategies/task-network.ts";
