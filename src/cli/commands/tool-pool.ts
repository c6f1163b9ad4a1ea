import { z } from "zod";
import { askOffer, ToolPoolData, toToolPool, toolRuleFlags } from "../../protocol/index.ts";
import { offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { findDirectory } from "../open-workspace.ts";
import { plainLine } from "../plain-text.ts";
import { requireTrust } from "../trust/require-trust.ts";

/** Says which tools would be offered, and why others would not. */
export const toolPool = defineCommand({
  name: "tool-pool",
  summary: "Show which tools would be offered, and why",
  heading: "For programs:",
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
  format({ tools, excluded, mcp_servers: servers }) {
    const list = (lines: readonly string[]): string => (lines.length === 0 ? "" : `\n${lines.join("\n")}\n`);
    const shown = tools.map(({ name, source }) => `- ${plainLine(name)} (${source})`);
    const out = excluded.map(({ name, reason }) => `- ${plainLine(name)}: ${reason}`);
    const connected = servers.map(
      ({ name, status, tools: count }) => `- ${plainLine(name)}: ${status}, ${count} tools`,
    );
    return [
      `# Tool pool\n\n## Offered (${tools.length})\n${list(shown)}`,
      `## Out (${excluded.length})\n${list(out)}`,
      `## Tool servers (${servers.length})\n${list(connected)}`,
    ].join("\n");
  },
});
