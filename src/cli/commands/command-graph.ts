import { z } from "zod";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import type { OfferedCommand } from "../../protocol/index.ts";
import { plainLine } from "../plain-text.ts";

const group = z.array(z.strictObject({ name: z.string(), source: z.string() }));

/** Groups the commands by what they are. */
export const commandGraph = defineCommand({
  name: "command-graph",
  summary: "Group the slash commands by source",
  heading: "For programs:",
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
    const { commands } = await askOfferHere(given, context);
    const of = (wanted: Group): z.infer<typeof group> =>
      commands.filter((one) => groupOf(one) === wanted).map(({ name, source }) => ({ name, source }));
    const [builtins, plugins, skills, custom] = [of("builtins"), of("plugins"), of("skills"), of("custom")];
    return {
      builtins_count: builtins.length,
      plugin_count: plugins.length,
      skill_count: skills.length,
      custom_count: custom.length,
      total_count: commands.length,
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
