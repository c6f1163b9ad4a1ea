import type { TurnStartEvent } from "../../core/index.ts";
import type { OfferedCommand } from "./offered-command.ts";
import type { OfferedTool } from "./offered-tool.ts";
import { rankOffer } from "./rank-offer.ts";

/** What of the CLI's offer a prompt seems to be about, by name. */
export interface MatchedNames {
  readonly matched_commands: string[];
  readonly matched_tools: string[];
}

/** Ranks what a turn was offered by its prompt. Only names are known here; `route` knows descriptions too. */
export function matchNames(prompt: string, { tools, raw }: TurnStartEvent, limit: number): MatchedNames {
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
