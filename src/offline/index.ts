export { BUILT_IN_SCENARIOS } from "./built-in-scenarios.ts";
export type { Fault } from "./fault.ts";
export { loadScenario } from "./load-scenario.ts";
export type { LoopbackServer } from "./loopback-server.ts";
export type { MessagesRequest } from "./messages-request.ts";
export { offlineEnvironment } from "./offline-environment.ts";
export { startRecordingProxy } from "./record.ts";
export { startReplayServer } from "./replay.ts";
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
} from "./scenario.ts";
export { startOfflineServer, type OfflineServerOptions } from "./server.ts";
export { TODO_PROMPTS } from "./scenarios/todo.ts";
export { type OfflineModel, makeOfflineConfig, openOfflineModel } from "./offline-model.ts";
