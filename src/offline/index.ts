export type { LoopbackServer } from "./api/loopback-server.ts";
export { startRecordingProxy } from "./cassette/record.ts";
export { startReplayServer } from "./cassette/replay.ts";
export { offlineEnvironment } from "./offline-model.ts";
export type { Fault } from "./scenarios/fault.ts";
export { BUILT_IN_SCENARIOS, loadScenario } from "./scenarios/load-scenario.ts";
export { defineScenario, type Rule, type Scenario, type Step } from "./scenarios/scenario.ts";
export { TODO_PROMPTS } from "./scenarios/todo.ts";
export { startOfflineServer } from "./server.ts";
