// What other rooms use of this one; users have `index.ts`.
export type { LoopbackServer } from "./api/loopback-server.ts";
export type { MessagesRequest } from "./api/messages-request.ts";
export { startRecordingProxy } from "./cassette/record.ts";
export { startReplayServer } from "./cassette/replay.ts";
export { makeOfflineConfig, offlineEnvironment, openOfflineModel, type OfflineModel } from "./offline-model.ts";
export { BUILT_IN_SCENARIOS, loadScenario } from "./scenarios/load-scenario.ts";
export type { Scenario } from "./scenarios/scenario.ts";
export { startOfflineServer } from "./server.ts";
