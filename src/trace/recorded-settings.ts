import type { SkeinEvent } from "../core/index.ts";
import type { ClaudeOptions } from "../engine/index.ts";
import type { Settings } from "./state.ts";

/** The options that are written down with a state. None can hold a key: the environment and the hooks stay out. */
const RECORDED = [
  "model",
  "fallbackModel",
  "effort",
  "permissionMode",
  "allowedTools",
  "disallowedTools",
  "systemPrompt",
  "maxResponses",
  "maxTokens",
  "maxCostUsd",
  "maxConversationCostUsd",
  "settingSources",
  "agent",
] as const satisfies readonly (keyof ClaudeOptions)[];

/** The settings of a turn: what it was given, and what the engine then said it runs with. */
export function recordedSettings(options: ClaudeOptions, started?: SkeinEvent & { type: "turn-start" }): Settings {
  const given = RECORDED.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const settings = Object.fromEntries(given) as Settings;
  return started ? { ...settings, model: started.model, permissionMode: started.permissionMode } : settings;
}
