import { z } from "zod";
import { TraceIndex } from "../../trace/index.ts";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { formatUsd } from "../format-amounts.ts";
import { markdownTable } from "../protocol/markdown-table.ts";
import { openWorkspace } from "../open-workspace.ts";
import { installedVersion, readOwnPackage, SDK_PACKAGE } from "../../protocol/index.ts";

/** Tells in short what is installed, what the CLI offers in a folder, and what was recorded there. */
export const summary = defineCommand({
  name: "summary",
  summary: "Report what is installed, offered and recorded",
  heading: "Reports:",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({ ...offerFlags }),
  data: z.strictObject({
    cwd: z.string(),
    versions: z.strictObject({
      skein: z.string(),
      sdk: z.string().nullable(),
      cli: z.string(),
      node: z.string(),
    }),
    /** How many commands Skein itself has. */
    skein_commands: z.int(),
    /** What the CLI offers in the folder, counted. */
    offered: z.strictObject({
      commands: z.int(),
      skills: z.int(),
      tools: z.int(),
      agents: z.int(),
      plugins: z.int(),
      mcp_servers: z.int(),
    }),
    /** What was recorded in the folder. */
    recorded: z.strictObject({ conversations: z.int(), states: z.int(), turns: z.int(), cost_usd: z.number() }),
  }),
  examples: ["summary", "summary --cwd ./my_project --output-format json"],
  async run(given, context) {
    await using workspace = await openWorkspace(given.cwd, context);
    await using index = await TraceIndex.open(workspace);
    const offer = await askOfferHere({ ...given, cwd: workspace.path }, context);
    const { states, turns, costUsd } = await index.totals();
    return {
      cwd: workspace.path,
      versions: {
        skein: readOwnPackage().version,
        sdk: installedVersion(SDK_PACKAGE) ?? null,
        cli: offer.cliVersion,
        node: process.versions.node,
      },
      skein_commands: context.commands.list.length,
      offered: {
        commands: offer.commands.length,
        skills: offer.commands.filter(({ is_skill: isSkill }) => isSkill).length,
        tools: offer.tools.length,
        agents: offer.agents.length,
        plugins: offer.plugins.length,
        mcp_servers: offer.servers.length,
      },
      recorded: {
        conversations: (await workspace.states.conversations()).size,
        states,
        turns,
        cost_usd: costUsd,
      },
    };
  },
  format({ cwd, versions, skein_commands: own, offered, recorded }) {
    const { cost_usd: cost, ...counts } = recorded;
    const rows = (record: Readonly<Record<string, string | number | null>>): [string, string | number][] =>
      Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), value ?? "none"]);
    return [
      `# Summary of ${cwd}\n\n${own} commands of Skein; see \`skein manifest\`.\n`,
      `## Versions\n\n${markdownTable(["part", "version"], rows(versions))}`,
      `## Offered by the CLI here\n\n${markdownTable(["what", "count"], rows(offered))}`,
      `## Recorded here\n\n${markdownTable(["what", "count"], [...rows(counts), ["cost", formatUsd(cost)]])}`,
    ].join("\n");
  },
});
