export { BUILT_IN_SCENARIOS, loadScenario } from "./scenarios/load-scenario.ts";
export type { Fault } from "./scenarios/fault.ts";
export type { LoopbackServer } from "./api/loopback-server.ts";
export type { MessagesRequest } from "./api/messages-request.ts";
export { offlineEnvironment, startOfflineServer, type OfflineServerOptions } from "./server.ts";
export { startRecordingProxy } from "./cassette/record.ts";
export { startReplayServer } from "./cassette/replay.ts";
export {
  defineScenario,
  type Alternative,
  type Condition,
  type Context,
  type Rule,
  type Scenario,
  type Step,
  type StopReason,
  type Text,
  type ToolCall,
  type ToolResult,
} from "./scenarios/scenario.ts";
export { TODO_PROMPTS } from "./scenarios/todo.ts";
export { type OfflineModel, makeOfflineConfig, openOfflineModel } from "./offline-model.ts";
