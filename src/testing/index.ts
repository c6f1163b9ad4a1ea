export { BRANCH_CONTRACT, prepareBranchBench, type BranchBench, type BranchCheck } from "./branch-contract.ts";
export { collect, ENGINE_CONTRACT, type EngineCheck } from "./engine-contract.ts";
export { ENVIRONMENT_CONTRACT, type EnvironmentBench, type EnvironmentCheck } from "./environment-contract.ts";
export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export { createFakeEngine, type FakeAnswer } from "./fake-engine.ts";
export {
  createMemoryEnvironment,
  type MemoryEnvironment,
  type MemoryState,
  type MemoryStep,
  type MemoryWorld,
} from "./memory-environment.ts";
export { startOfflineAgent, type OfflineAgent } from "./offline-agent.ts";
export { SNAPSHOT_CONTRACT, type SnapshotBench, type SnapshotCheck } from "./snapshot-contract.ts";
