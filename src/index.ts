export { SkeinError } from "./core/index.ts";
export { ClaudeEngine, claudePrompt } from "./engine/index.ts";
export {
  AgentResponse,
  ClaudeAgent,
  Conversation,
  createTransition,
  TraceIndex,
  Transition,
  TransitionRecorder,
} from "./trace/index.ts";
export { Workspace } from "./workspace/index.ts";
