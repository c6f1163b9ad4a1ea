import { z } from "zod";
import type { OfferedTool } from "./offered-tool.ts";

/** The flags that leave tools out. */
export const toolRuleFlags = {
  simpleMode: z.boolean().default(false).meta({ description: "Only the tools of Claude Code's simple mode" }),
  mcp: z.boolean().default(true).meta({ description: "Leave out the tools of tool servers" }),
  denyTool: z
    .array(z.string())
    .default([])
    .meta({ label: "name", description: "Leave out the tools with these names" }),
  denyPrefix: z.array(z.string()).default([]).meta({
    label: "prefix",
    description: "Leave out the tools whose names start with this",
  }),
} as const;

/** What was given with these flags. */
export type ToolRules = z.infer<z.ZodObject<typeof toolRuleFlags>>;

/** Why a tool is not offered. */
export const EXCLUSION_REASONS = ["permission_rule", "simple_mode", "mcp_off", "deny_tool", "deny_prefix"] as const;

/** Why a tool is not offered. */
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** What `CLAUDE_CODE_SIMPLE` leaves of the CLI's tools. */
export const SIMPLE_TOOLS: readonly string[] = ["Bash", "Edit", "Read"];

/** Why the flags leave a tool out; undefined for one that stays. Case does not matter. */
export function excludedBy(
  { name, aliases, source }: Pick<OfferedTool, "name" | "aliases" | "source">,
  rules: ToolRules,
): ExclusionReason | undefined {
  const names = [name, ...aliases].map((one) => one.toLowerCase());
  if (rules.simpleMode && !SIMPLE_TOOLS.includes(name)) return "simple_mode";
  if (!rules.mcp && source !== "native") return "mcp_off";
  if (rules.denyTool.some((denied) => names.includes(denied.toLowerCase()))) return "deny_tool";
  const hasPrefix = (prefix: string): boolean => names.some((one) => one.startsWith(prefix.toLowerCase()));
  return rules.denyPrefix.some(hasPrefix) ? "deny_prefix" : undefined;
}
