import { z } from "zod";
import { asData } from "../command/wire-keys.ts";
import type { AgentOffer } from "./agent-offer.ts";
import { OfferedTool } from "./offered.ts";

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

export type ToolRules = z.infer<z.ZodObject<typeof toolRuleFlags>>;

export const EXCLUSION_REASONS = ["permission_rule", "simple_mode", "mcp_off", "deny_tool", "deny_prefix"] as const;

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

const PooledTool = OfferedTool.pick({ name: true, source: true, server: true });

export const ToolPoolData = z.strictObject({
  simple_mode: z.boolean().describe("Whether only the tools of the simple mode were wanted"),
  include_mcp: z.boolean().describe("Whether those of tool servers were wanted"),
  tool_count: z.int().describe("How many tools an agent has"),
  tools: z.array(PooledTool).describe("The tools that an agent has"),
  excluded_count: z.int().describe("How many tools were ruled out"),
  excluded: z
    .array(PooledTool.extend({ reason: z.enum(EXCLUSION_REASONS).describe("What rules it out") }))
    .describe("The tools that were ruled out"),
  mcp_servers: z
    .array(
      z.strictObject({
        name: z.string().describe("The server's name"),
        status: z.string().describe("Whether it could be connected to, in the CLI's word"),
        tools: z.int().describe("How many tools it has"),
      }),
    )
    .describe("The tool servers of the folder"),
});
export type ToolPoolData = z.infer<typeof ToolPoolData>;

/** What the CLI offers with the folder's settings, and what it would offer without any. */
type PoolOffers = Readonly<Record<"here" | "bare", AgentOffer>>;

/** Sorts all tools that there are into those that are offered and those that are not, with the reason. */
export function toToolPool({ here, bare }: PoolOffers, rules: ToolRules): ToolPoolData {
  const all = [
    ...here.tools.map((tool) => ({ tool, reason: excludedBy(tool, rules) })),
    ...findRuledOut({ here, bare }).map((tool) => ({ tool, reason: "permission_rule" as const })),
  ];
  const tools = all.flatMap(({ tool, reason }) => (reason === undefined ? asData(PooledTool, tool) : []));
  const excluded = all.flatMap(({ tool, reason }) =>
    reason === undefined ? [] : { ...asData(PooledTool, tool), reason },
  );
  return {
    simple_mode: rules.simpleMode,
    include_mcp: rules.mcp,
    tool_count: tools.length,
    tools,
    excluded_count: excluded.length,
    excluded,
    mcp_servers: here.servers.map((server) => ({ ...server, tools: server.tools.length })),
  };
}

/** The CLI keeps tools that a rule denies from the model: they are there without the settings, or in their server's list. */
export function findRuledOut({ here, bare }: PoolOffers): readonly z.infer<typeof PooledTool>[] {
  const isOffered = (name: string): boolean => here.tools.some((tool) => tool.name === name);
  const ofServers = here.servers.flatMap(({ name: server, tools }) =>
    tools.map((name) => ({ name, source: "mcp" as const, server })),
  );
  return [...bare.tools, ...ofServers].filter(({ name }) => !isOffered(name));
}
