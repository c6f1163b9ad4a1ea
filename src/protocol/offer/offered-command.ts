import { z } from "zod";

/** A slash command or skill, as the CLI offers it in a folder. */
export const OfferedCommand = z.strictObject({
  /** Without the slash. */
  name: z.string(),
  description: z.string(),
  /** What it takes, such as `<file>`; empty where nothing is said. */
  argument_hint: z.string(),
  aliases: z.array(z.string()),
  /** Whose it is: Claude Code's own, a plugin's, a tool server's, the project's, the user's, or somebody else's. */
  source: z.enum(["builtin", "plugin", "mcp", "project", "user", "other"]),
  /** The plugin that it comes from. */
  plugin: z.string().nullable(),
  /** Whether the model can use it by itself too. */
  is_skill: z.boolean(),
  /** Whether it only makes sense at a terminal of Claude Code's own. */
  is_terminal_only: z.boolean(),
});

/** A slash command or skill, as the CLI offers it in a folder. */
export type OfferedCommand = z.infer<typeof OfferedCommand>;

/** What the CLI tells of a command. */
export interface ToldCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[];
  readonly builtin?: boolean;
}

/** What the CLI tells of a session that commands are sorted by. */
export interface ToldSession {
  readonly skills: readonly string[];
  readonly terminalCommands: readonly string[];
  readonly plugins: readonly string[];
}

/** Puts what the CLI tells of a command into the words of the envelope. */
export function toOfferedCommand(told: ToldCommand, session: ToldSession): OfferedCommand {
  const { name } = told;
  const plugin = session.plugins.find((one) => name.startsWith(`${one}:`)) ?? null;
  const { source, description } = findSource(told, plugin);
  return {
    name,
    description,
    argument_hint: told.argumentHint,
    aliases: [...(told.aliases ?? [])],
    source,
    plugin,
    is_skill: session.skills.includes(name),
    is_terminal_only: session.terminalCommands.includes(name),
  };
}

/** The CLI marks its own commands; of the others it writes the origin behind the description. */
function findSource(told: ToldCommand, plugin: string | null): Pick<OfferedCommand, "source" | "description"> {
  const { name, description } = told;
  if (plugin !== null) {
    const mark = `(${plugin}) `;
    return {
      source: "plugin",
      description: description.startsWith(mark) ? description.slice(mark.length) : description,
    };
  }
  if (told.builtin) return { source: "builtin", description };
  if (name.startsWith("mcp__")) return { source: "mcp", description };
  const [, bare, origin] = /^(.*?) ?\((project|user)\)$/su.exec(description) ?? [];
  if (bare === undefined) return { source: "other", description };
  return { source: origin === "user" ? "user" : "project", description: bare };
}
