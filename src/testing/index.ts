export { BRANCH_CONTRACT, prepareBranchBench } from "./branch-contract.ts";
export { ENGINE_CONTRACT } from "./engine-contract.ts";
export { ENVIRONMENT_CONTRACT } from "./environment-contract.ts";
export { createFakeClock } from "./fake-clock.ts";
export { createFakeEngine } from "./fake-engine.ts";
export {
  createMemoryEnvironment,
  type MemoryEnvironment,
  type MemoryState,
  type MemoryStep,
} from "./memory-environment.ts";
export { startOfflineAgent, type OfflineAgent } from "./offline-agent.ts";
export { SNAPSHOT_CONTRACT } from "./snapshot-contract.ts";
