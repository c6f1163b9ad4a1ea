import { SkeinError } from "../../core/index.ts";
import type { OfferedCommand } from "./offered-command.ts";
import type { OfferedTool } from "./offered-tool.ts";

/** Finds a command by its name or another name of it, in any case, with or without its slash. */
export function findCommand(name: string, commands: readonly OfferedCommand[]): OfferedCommand {
  // Where names are shared, the CLI runs its own command.
  const ownFirst = commands.toSorted((left, right) => rank(left) - rank(right));
  const found = findNamed(name.replace(/^\//u, ""), ownFirst);
  if (found) return found;
  throw new SkeinError(`There is no command ${JSON.stringify(name)} in this folder`, {
    kind: "command_not_found",
    target: name,
    hint: "skein commands --limit 1000 lists the ones that exist",
  });
}

/** Finds a tool by its name or another name of it, in any case. */
export function findTool(name: string, tools: readonly OfferedTool[]): OfferedTool {
  const found = findNamed(name, tools);
  if (found) return found;
  throw new SkeinError(`There is no tool ${JSON.stringify(name)} in this folder`, {
    kind: "tool_not_found",
    target: name,
    hint: "skein tool-pool lists the ones that exist, and says why others are left out",
  });
}

interface Named {
  readonly name: string;
  readonly aliases: readonly string[];
}

function findNamed<T extends Named>(name: string, all: readonly T[]): T | undefined {
  const wanted = name.toLowerCase();
  return (
    all.find((one) => one.name.toLowerCase() === wanted) ??
    all.find(({ aliases }) => aliases.some((alias) => alias.toLowerCase() === wanted))
  );
}

function rank({ source }: OfferedCommand): number {
  return source === "builtin" ? 0 : 1;
}
