import { ClaudeConfigError } from "../../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { optionNames } from "./options-schema.ts";
import { parseClaudeOptions, unknownOption } from "./parse-options.ts";

/** The options that can be said for one turn. The others belong to the conversation: where it is, what it is made with. */
export const TURN_OPTIONS = [
  "model",
  "effort",
  "permissionMode",
  "tools",
  "allowedTools",
  "disallowedTools",
  "maxResponses",
  "maxTokens",
  "maxCostUsd",
  "timeoutMs",
  "idleTimeoutMs",
  "deadline",
  "memoryLimitMb",
  "maxProcesses",
  "maxDiskBytes",
  "graceMs",
  "signal",
] as const satisfies readonly (keyof ClaudeOptions)[];

/** What can be said for one turn, over what holds for the conversation. */
export type TurnOptions = Pick<ClaudeOptions, (typeof TURN_OPTIONS)[number]>;

/** Checks the options of a turn; `others` are names that its caller takes besides. What nobody knows is refused, not dropped. */
export function parseTurnOptions(options: object, others: readonly string[] = []): void {
  const known: readonly string[] = [...TURN_OPTIONS, ...others];
  const turn = Object.entries(options).filter(([name]) => !others.includes(name));
  for (const [name] of turn) {
    if (known.includes(name)) continue;
    if (!optionNames.includes(name)) throw unknownOption(name, known);
    throw new ClaudeConfigError(`${name} cannot be set for a single turn`, {
      option: name,
      target: name,
      hint: "Set it when you open the conversation.",
    });
  }
  parseClaudeOptions(Object.fromEntries(turn));
}
