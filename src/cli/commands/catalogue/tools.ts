import { z } from "zod";
import { askOfferHere, offerFlags, mentions, offerLines } from "./offer.ts";
import { defineCommand } from "../../define-command.ts";
import {
  OfferedTool,
  excludedBy,
  toolRuleFlags,
  findTool,
  askOffer,
  ToolPoolData,
  toToolPool,
} from "../../../protocol/index.ts";
import { detailRows } from "../../detail-rows.ts";
import { plainLine, plainText, wrapText } from "../../plain-text.ts";
import { findDirectory } from "../../open-workspace.ts";
import { requireTrust } from "../../require-trust.ts";
import { limitFlag, textFlag, argument } from "../../common-flags.ts";

const ListedTool = OfferedTool.omit({ input_schema: true });

export const tools = defineCommand({
  name: "tools",
  summary: "List the tools the CLI offers here",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    ...offerFlags,
    limit: limitFlag(20),
    query: textFlag("text", "Only those that contain this text"),
    ...toolRuleFlags,
  }),
  data: z.strictObject({
    tools: z.array(ListedTool),
    /** How many match, listed or not. */
    count: z.int(),
    total_count: z.int(),
  }),
  examples: ["tools", "tools --query file --no-mcp --deny-tool Bash Write"],
  async run(given, context) {
    const { limit, query } = given;
    const { tools: all } = await askOfferHere(given, context);
    const matching = all.filter((tool) => excludedBy(tool, given) === undefined && mentions(query, tool));
    const listed = matching.slice(0, limit).map((tool) => ListedTool.strip().parse(tool));
    return { tools: listed, count: matching.length, total_count: all.length };
  },
  format: ({ tools: listed, count, total_count: total }, { terminal }) =>
    offerLines(`Tool entries: ${count} of ${total}`, listed, terminal.columns),
});

export const showTool = defineCommand({
  name: "show-tool",
  summary: "Show a tool and its input schema",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    name: argument("Its name; case is ignored"),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedTool.extend({ found: z.literal(true) }),
  examples: ["show-tool Bash", "show-tool mcp__shop__buy --output-format json"],
  async run(given, context) {
    const offer = await askOfferHere(given, context);
    return { ...findTool(given.name, offer.tools), found: true as const };
  },
  format({ name, source, server, aliases, description, input_schema: schema }, { terminal }) {
    const rows = detailRows(
      [
        ["Source", server === null ? source : `${source} ${plainLine(server)}`],
        ["Also", ...(aliases.length === 0 ? [] : [aliases.join(", ")])],
      ],
      terminal,
    );
    const text = wrapText(plainText(description), terminal.columns).join("\n");
    const takes = plainText(JSON.stringify(schema, null, 2));
    return `${terminal.colors.bold(plainLine(name))}\n\n${rows}\n${text}\n\n${takes}\n`;
  },
});

export const toolPool = defineCommand({
  name: "tool-pool",
  summary: "Show which tools would be offered, and why",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({ ...offerFlags, ...toolRuleFlags }),
  data: ToolPoolData,
  examples: ["tool-pool", "tool-pool --simple-mode", "tool-pool --no-mcp --deny-prefix Cron --output-format json"],
  async run({ cwd, trust, ...rules }, context) {
    const settings = await requireTrust(await findDirectory(cwd, context), { trust, context });
    const folder = settings.directory;
    const [here, bare] = await Promise.all([askOffer(folder, { ...context, settings }), askOffer(folder, context)]);
    return toToolPool({ here, bare }, rules);
  },
  format({ tools: offered, excluded, mcp_servers: servers }) {
    const list = (lines: readonly string[]): string => (lines.length === 0 ? "" : `\n${lines.join("\n")}\n`);
    const shown = offered.map(({ name, source }) => `- ${plainLine(name)} (${source})`);
    const out = excluded.map(({ name, reason }) => `- ${plainLine(name)}: ${reason}`);
    const connected = servers.map(
      ({ name, status, tools: count }) => `- ${plainLine(name)}: ${status}, ${count} tools`,
    );
    return [
      `# Tool pool\n\n## Offered (${offered.length})\n${list(shown)}`,
      `## Out (${excluded.length})\n${list(out)}`,
      `## Tool servers (${servers.length})\n${list(connected)}`,
    ].join("\n");
  },
});
