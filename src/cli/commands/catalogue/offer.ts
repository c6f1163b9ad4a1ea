import { z } from "zod";
import {
  askOffer,
  excludedBy,
  findCommand,
  findTool,
  OfferedCommand,
  OfferedTool,
  rankOffer,
  RouteMatch,
  ToolPoolData,
  toolRuleFlags,
  toToolPool,
  type AgentOffer,
} from "../../../protocol/index.ts";
import { argument, limitFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { formatCard, formatTable, plainLine, plainText, wrapText } from "../../../terminal/index.ts";
import { cwdFlag, findAgentFolder } from "../../open-workspace.ts";
import { requireTrust, trustFlag } from "../../require-trust.ts";

export const offerFlags = { cwd: cwdFlag, trust: trustFlag } as const;

/** Asks what the CLI offers with the settings of a folder, which a person has to trust. */
export async function askOfferHere(
  { cwd, trust }: { readonly cwd?: string | undefined; readonly trust: boolean },
  context: CommandContext,
): Promise<AgentOffer> {
  const settings = await requireTrust(await findAgentFolder(cwd, context), { trust, context });
  return await askOffer(settings.directory, { ...context, settings });
}

const ASKING = { changes: "adds", isRepeatable: true, reaches: "world" } as const;

const listFlags = {
  ...offerFlags,
  limit: limitFlag(20),
  query: textFlag("text", "Only those that contain this text"),
} as const;

const listCounts = {
  count: z.int().describe("How many match, listed or not"),
  total_count: z.int().describe("How many are offered, matching or not"),
} as const;

type Entry = Pick<OfferedTool, "name" | "description"> & { readonly source: string };

function mentions(query: string | undefined, { name, description }: Entry): boolean {
  return query === undefined || `${name}\n${description}`.toLowerCase().includes(query.toLowerCase());
}

/** A table of what is offered, each with the beginning of what it does. */
function entryTable(heading: string, entries: readonly Entry[], { terminal }: CommandContext): string {
  if (entries.length === 0) return `${heading}\n`;
  const rows = entries.map(({ name, source, description }) => [
    plainLine(name),
    terminal.colors.dim(source),
    plainLine(description),
  ]);
  const columns = [{ name: "Name" }, { name: "Source" }, { name: "Does", narrow: "cut" }] as const;
  return `${heading}\n\n${formatTable({ columns, rows }, terminal)}`;
}

export const commands = defineCommand({
  name: "commands",
  summary: "List the slash commands and skills offered here",
  effects: ASKING,
  args: z.object({
    ...listFlags,
    pluginCommands: z.boolean().default(true).meta({ description: "Leave out plugin commands" }),
    skillCommands: z.boolean().default(true).meta({ description: "Leave out skills" }),
  }),
  data: z.strictObject({
    commands: z.array(OfferedCommand).describe("The commands that match, at most as many as asked for"),
    ...listCounts,
  }),
  examples: ["commands", "commands --query review --no-plugin-commands"],
  async run(given, context) {
    const { limit, query, pluginCommands, skillCommands } = given;
    const { commands: all } = await askOfferHere(given, context);
    const matching = all.filter(
      (one) => (pluginCommands || one.source !== "plugin") && (skillCommands || !one.is_skill) && mentions(query, one),
    );
    return { commands: matching.slice(0, limit), count: matching.length, total_count: all.length };
  },
  format: ({ commands: listed, count, total_count: total }, context) =>
    entryTable(`Command entries: ${count} of ${total}`, listed, context),
});

export const showCommand = defineCommand({
  name: "show-command",
  summary: "Show a slash command or skill",
  effects: ASKING,
  args: z.object({
    name: argument("Its name, with or without the slash; case is ignored"),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedCommand.extend({
    found: z.literal(true).describe("Always true: a name that is not offered is an error"),
  }),
  examples: ["show-command compact", "show-command my-plugin:ship --output-format json"],
  async run(given, context) {
    const offer = await askOfferHere(given, context);
    return { ...findCommand(given.name, offer.commands), found: true as const };
  },
  format(shown, { terminal }) {
    const title = plainLine(`/${shown.name} ${shown.argument_hint}`);
    const rows = formatCard(
      [
        ["Source", shown.plugin === null ? shown.source : `plugin ${plainLine(shown.plugin)}`],
        [
          "Also",
          ...(shown.aliases.length === 0 ? [] : [shown.aliases.map((alias) => `/${plainLine(alias)}`).join(", ")]),
        ],
        ["Skill", shown.is_skill ? "yes: the model can use it on its own" : "no"],
      ],
      terminal,
    );
    return `${terminal.colors.bold(title)}\n\n${rows}\n${wrapText(plainLine(shown.description), terminal.columns).join("\n")}\n`;
  },
});

const group = z.array(
  z.strictObject({
    name: z.string().describe("The name of the command or skill"),
    source: z.string().describe("Whose it is, or the plugin's name"),
  }),
);

export const commandGraph = defineCommand({
  name: "command-graph",
  summary: "Group the slash commands by source",
  effects: ASKING,
  args: z.object({ ...offerFlags }),
  data: z.strictObject({
    builtins_count: z.int().describe("How many are Claude Code's own"),
    plugin_count: z.int().describe("How many come from plugins"),
    skill_count: z.int().describe("How many are skills that come from no plugin"),
    custom_count: z.int().describe("How many are the folder's, the user's or a tool server's"),
    total_count: z.int().describe("How many there are in all groups"),
    builtins: group.describe("Claude Code's own"),
    plugins: group.describe("All that comes from plugins, skills too"),
    skills: group.describe("Skills that come from no plugin, the CLI's own too"),
    custom: group.describe("From `.claude/commands` of the folder or the user, and from tool servers"),
  }),
  examples: ["command-graph", "command-graph --output-format json"],
  async run(given, context) {
    const { commands: all } = await askOfferHere(given, context);
    const of = (wanted: Group): z.infer<typeof group> =>
      all.flatMap((one) => (groupOf(one) === wanted ? { name: one.name, source: one.source } : []));
    const [builtins, plugins, skills, custom] = [of("builtins"), of("plugins"), of("skills"), of("custom")];
    return {
      builtins_count: builtins.length,
      plugin_count: plugins.length,
      skill_count: skills.length,
      custom_count: custom.length,
      total_count: all.length,
      builtins,
      plugins,
      skills,
      custom,
    };
  },
  format: ({ builtins, plugins, skills, custom, total_count: total }) =>
    [
      `# Command graph\n\n${total} commands\n`,
      section("Built in", builtins),
      section("Plugins", plugins),
      section("Skills", skills),
      section("Custom", custom),
    ].join(""),
});

type Group = "builtins" | "plugins" | "skills" | "custom";

function groupOf({ source, is_skill: isSkill }: OfferedCommand): Group {
  if (source === "plugin") return "plugins";
  if (isSkill) return "skills";
  return source === "builtin" ? "builtins" : "custom";
}

function section(title: string, entries: z.infer<typeof group>): string {
  const names = entries.map(({ name }) => `- /${plainLine(name)}\n`);
  return `\n## ${title} (${entries.length})\n${names.length === 0 ? "" : `\n${names.join("")}`}`;
}

const ListedTool = OfferedTool.omit({ input_schema: true });

export const tools = defineCommand({
  name: "tools",
  summary: "List the tools the CLI offers here",
  effects: ASKING,
  args: z.object({
    ...listFlags,
    ...toolRuleFlags,
  }),
  data: z.strictObject({
    tools: z.array(ListedTool).describe("The tools that match, at most as many as asked for"),
    ...listCounts,
  }),
  examples: ["tools", "tools --query file --no-mcp --deny-tool Bash Write"],
  async run(given, context) {
    const { limit, query } = given;
    const { tools: all } = await askOfferHere(given, context);
    const matching = all.filter((tool) => excludedBy(tool, given) === undefined && mentions(query, tool));
    const listed = matching.slice(0, limit).map((tool) => ListedTool.strip().parse(tool));
    return { tools: listed, count: matching.length, total_count: all.length };
  },
  format: ({ tools: listed, count, total_count: total }, context) =>
    entryTable(`Tool entries: ${count} of ${total}`, listed, context),
});

export const showTool = defineCommand({
  name: "show-tool",
  summary: "Show a tool and its input schema",
  effects: ASKING,
  args: z.object({
    name: argument("Its name; case is ignored"),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedTool.extend({ found: z.literal(true).describe("Always true: a name that is not offered is an error") }),
  examples: ["show-tool Bash", "show-tool mcp__shop__buy --output-format json"],
  async run(given, context) {
    const offer = await askOfferHere(given, context);
    return { ...findTool(given.name, offer.tools), found: true as const };
  },
  format({ name, source, server, aliases, description, input_schema: schema }, { terminal }) {
    const rows = formatCard(
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
  effects: ASKING,
  args: z.object({ ...offerFlags, ...toolRuleFlags }),
  data: ToolPoolData,
  examples: ["tool-pool", "tool-pool --simple-mode", "tool-pool --no-mcp --deny-prefix Cron --output-format json"],
  async run({ cwd, trust, ...rules }, context) {
    const settings = await requireTrust(await findAgentFolder(cwd, context), { trust, context });
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

export const route = defineCommand({
  name: "route",
  summary: "Rank commands and tools for a prompt",
  effects: ASKING,
  args: z.object({
    prompt: argument("The prompt to match"),
    ...offerFlags,
    limit: limitFlag(5),
  }),
  positional: ["prompt"],
  data: z.strictObject({
    prompt: z.string().describe("The prompt that was matched"),
    limit: z.int().describe("The most matches that were asked for"),
    match_count: z.int().describe("How many matches are listed"),
    matches: z.array(RouteMatch).describe("What the prompt seems to be about, the best first"),
  }),
  examples: ['route "review the security of my branch"', 'route "search the web" --limit 3 --output-format json'],
  async run(given, context) {
    const { prompt, limit } = given;
    const matches = rankOffer(prompt, await askOfferHere(given, context)).slice(0, limit);
    return { prompt, limit, match_count: matches.length, matches };
  },
  format: ({ matches }) => (matches.length === 0 ? "(no matches)\n" : matches.map(matchLine).join("")),
});

function matchLine({ kind, name, score, source, matched }: RouteMatch): string {
  const words = matched.map(({ word, fields }) => `${word} in ${fields.join(" and ")}`).join(", ");
  return `${[kind, plainLine(name), score.toFixed(4), source, words].join("\t")}\n`;
}
