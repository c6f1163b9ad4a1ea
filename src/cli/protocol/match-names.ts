import type { TurnStartEvent } from "../../core/index.ts";
import type { Matches } from "./loop-turn.ts";
import type { OfferedCommand } from "./offered-command.ts";
import type { OfferedTool } from "./offered-tool.ts";
import { rankOffer } from "./rank-offer.ts";

/** Ranks what a turn was offered by its prompt. Only names are known here; `route` knows descriptions too. */
export function matchNames(prompt: string, { tools, raw }: TurnStartEvent, limit: number): Matches {
  const { slash_commands: commands = [] } = (raw ?? {}) as { readonly slash_commands?: readonly string[] };
  const matches = rankOffer(prompt, {
    commands: commands.map((name) => ({ ...UNTOLD_COMMAND, name })),
    tools: tools.map((name) => ({ ...UNTOLD_TOOL, name })),
  });
  const named = (kind: "command" | "tool"): string[] =>
    matches
      .filter((match) => match.kind === kind)
      .slice(0, limit)
      .map(({ name }) => name);
  return { matched_commands: named("command"), matched_tools: named("tool") };
}

const UNTOLD_COMMAND: Omit<OfferedCommand, "name"> = {
  description: "",
  argument_hint: "",
  aliases: [],
  source: "other",
  plugin: null,
  is_skill: false,
  is_terminal_only: false,
};

const UNTOLD_TOOL: Omit<OfferedTool, "name"> = {
  description: "",
  source: "native",
  server: null,
  aliases: [],
  input_schema: {},
};
