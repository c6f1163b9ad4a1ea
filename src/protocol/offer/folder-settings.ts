import type { ClaudeOptions } from "../../engine/index.ts";
import type { OfflineModel } from "../../offline/index.ts";

/** Tools are all told to the model at once, those of tool servers too, instead of being searched for or coming later. */
export const ALL_TOOLS_AT_ONCE = { ENABLE_TOOL_SEARCH: "false", MCP_CONNECTION_NONBLOCKING: "0" } as const;

/**
 * The variables of an offline model for a CLI that reads the settings files: the user's own folder instead of the one
 * for offline sessions, because the commands, skills and plugins of the user are there.
 */
export function offlineInFolder(
  { env }: OfflineModel,
  host: Readonly<Record<string, string | undefined>>,
): { readonly env: NonNullable<ClaudeOptions["env"]>; readonly settings: { readonly env: Record<string, string> } } {
  const { CLAUDE_CONFIG_DIR: _, ...variables } = env;
  return {
    env: { ...variables, CLAUDE_CONFIG_DIR: host["CLAUDE_CONFIG_DIR"] },
    // A settings file can set variables too, and would lead the CLI past the offline model.
    settings: { env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? ""])) },
  };
}
