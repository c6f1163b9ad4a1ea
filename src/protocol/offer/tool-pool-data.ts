import { z } from "zod";
import type { AgentOffer } from "./agent-offer.ts";
import { OfferedTool } from "./offered-tool.ts";
import { excludedBy, EXCLUSION_REASONS, type ToolRules } from "./tool-rules.ts";

const PooledTool = z.strictObject({
  name: z.string(),
  source: OfferedTool.shape.source,
  server: z.string().nullable(),
});

/** What would be offered to the model, and what not. */
export const ToolPoolData = z.strictObject({
  simple_mode: z.boolean(),
  include_mcp: z.boolean(),
  tool_count: z.int(),
  tools: z.array(PooledTool),
  excluded_count: z.int(),
  excluded: z.array(PooledTool.extend({ reason: z.enum(EXCLUSION_REASONS) })),
  /** The tool servers of the folder, connected or not. */
  mcp_servers: z.array(z.strictObject({ name: z.string(), status: z.string(), tools: z.int() })),
});

/** What would be offered to the model, and what not. */
export type ToolPoolData = z.infer<typeof ToolPoolData>;

/** What the CLI offers with the folder's settings, and what it would offer without any. */
export interface PoolOffers {
  readonly here: AgentOffer;
  readonly bare: AgentOffer;
}

/** Sorts all tools that there are into those that are offered and those that are not, with the reason. */
export function toToolPool({ here, bare }: PoolOffers, rules: ToolRules): ToolPoolData {
  const offered = here.tools.map((tool) => ({ tool, reason: excludedBy(tool, rules) }));
  const ruledOut = findRuledOut({ here, bare }).map((tool) => ({ tool, reason: "permission_rule" as const }));
  const all = [...offered, ...ruledOut];
  const tools = all.flatMap(({ tool, reason }) => (reason === undefined ? [toPooled(tool)] : []));
  const excluded = all.flatMap(({ tool, reason }) => (reason === undefined ? [] : [{ ...toPooled(tool), reason }]));
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

type Pooled = z.infer<typeof PooledTool>;

/** The CLI keeps tools that a rule denies from the model: they are there without the settings, or in their server's list. */
export function findRuledOut({ here, bare }: PoolOffers): readonly Pooled[] {
  const isOffered = (name: string): boolean => here.tools.some((tool) => tool.name === name);
  const ofServers = here.servers.flatMap(({ name: server, tools }) =>
    tools.map((name) => ({ name, source: "mcp" as const, server })),
  );
  return [...bare.tools, ...ofServers].filter(({ name }) => !isOffered(name));
}

function toPooled({ name, source, server }: Pooled): Pooled {
  return { name, source, server };
}
