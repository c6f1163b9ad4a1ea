import { z } from "zod";
import { askOfferHere, offerFlags, mentions, offerLines } from "./offer.ts";
import { defineCommand } from "../../define-command.ts";
import { OfferedCommand, findCommand } from "../../../protocol/index.ts";
import { detailRows } from "../../detail-rows.ts";
import { plainLine, wrapText } from "../../plain-text.ts";
import { limitFlag, textFlag, argument } from "../../common-flags.ts";

export const commands = defineCommand({
  name: "commands",
  summary: "List the slash commands and skills offered here",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    ...offerFlags,
    limit: limitFlag(20),
    query: textFlag("text", "Only those that contain this text"),
    pluginCommands: z.boolean().default(true).meta({ description: "Leave out plugin commands" }),
    skillCommands: z.boolean().default(true).meta({ description: "Leave out skills" }),
  }),
  data: z.strictObject({
    commands: z.array(OfferedCommand),
    /** How many match, listed or not. */
    count: z.int(),
    total_count: z.int(),
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
  format: ({ commands: listed, count, total_count: total }, { terminal }) =>
    offerLines(`Command entries: ${count} of ${total}`, listed, terminal.columns),
});

export const showCommand = defineCommand({
  name: "show-command",
  summary: "Show a slash command or skill",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    name: argument("Its name, with or without the slash; case is ignored"),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedCommand.extend({ found: z.literal(true) }),
  examples: ["show-command compact", "show-command my-plugin:ship --output-format json"],
  async run(given, context) {
    const offer = await askOfferHere(given, context);
    return { ...findCommand(given.name, offer.commands), found: true as const };
  },
  format(shown, { terminal }) {
    const title = plainLine(`/${shown.name} ${shown.argument_hint}`);
    const rows = detailRows(
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

const group = z.array(z.strictObject({ name: z.string(), source: z.string() }));

export const commandGraph = defineCommand({
  name: "command-graph",
  summary: "Group the slash commands by source",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({ ...offerFlags }),
  data: z.strictObject({
    builtins_count: z.int(),
    plugin_count: z.int(),
    skill_count: z.int(),
    custom_count: z.int(),
    total_count: z.int(),
    builtins: group,
    /** All that comes from plugins, skills too. */
    plugins: group,
    /** Skills that come from no plugin, the CLI's own too. */
    skills: group,
    /** From `.claude/commands` of the folder or the user, and from tool servers. */
    custom: group,
  }),
  examples: ["command-graph", "command-graph --output-format json"],
  async run(given, context) {
    const { commands: all } = await askOfferHere(given, context);
    const of = (wanted: Group): z.infer<typeof group> =>
      all.filter((one) => groupOf(one) === wanted).map(({ name, source }) => ({ name, source }));
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
