import type { Command } from "./define-command.ts";
import { flagsOf } from "./flags.ts";
import { defined } from "../core/index.ts";

/** A command as the list of commands shows it. The build writes the list, so that showing it loads no command. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly heading?: string;
  /** The arguments that it cannot do without: `<prompt>`. */
  readonly places: readonly string[];
}

/** What the list shows of a command. */
export function listCommand(command: Command): ListedCommand {
  const { name, summary, heading } = command;
  const required = flagsOf(command).filter(({ isPositional, isRequired }) => isPositional && isRequired);
  const places = (command.positional ?? []).filter((field) => required.some((flag) => flag.field === field));
  return { name, summary, ...defined({ heading }), places: places.map((field) => `<${field}>`) };
}
