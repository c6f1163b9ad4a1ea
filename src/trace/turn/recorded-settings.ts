import type { TurnStartEvent } from "../../core/internal.ts";
import type { ClaudeOptions, TurnOptions } from "../../engine/internal.ts";
import type { Settings } from "../record/state.ts";

/** The settings to go on with after a turn: what was said for that turn alone is not among them. */
export function settingsAfter(
  { options, turnOptions }: { readonly options: ClaudeOptions; readonly turnOptions: TurnOptions },
  { inForce, started }: { readonly inForce: Settings | undefined; readonly started: TurnStartEvent | undefined },
): Settings {
  const settings = recordedSettings(options, started);
  for (const name of ["model", "permissionMode"] as const) {
    if (turnOptions[name] === undefined) continue;
    const own = options[name] ?? inForce?.[name];
    if (own === undefined) delete settings[name];
    else settings[name] = own;
  }
  return settings;
}

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
export function recordedSettings(options: ClaudeOptions, started?: TurnStartEvent): Settings {
  const given = RECORDED.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const settings = Object.fromEntries(given) as Settings;
  return started ? { ...settings, model: started.model, permissionMode: started.permissionMode } : settings;
}
