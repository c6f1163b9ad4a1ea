export { collect, ENGINE_CONTRACT, type EngineCheck } from "./engine-contract.ts";
export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export { createFakeEngine, type FakeAnswer } from "./fake-engine.ts";
export { startOfflineAgent, type OfflineAgent } from "./offline-agent.ts";
export { SNAPSHOT_CONTRACT, type SnapshotBench, type SnapshotCheck } from "./snapshot-contract.ts";
