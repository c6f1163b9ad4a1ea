import type { z } from "zod";
import type { CallContext, Command } from "../protocol/index.ts";
import { describeTerminal, type Terminal } from "../terminal/index.ts";

/** What a command is given beside its arguments. */
export interface CommandContext extends CallContext {
  readonly terminal: Terminal;
}

/** A command that can show what it does at a terminal. */
export interface TerminalCommand<
  Args extends z.ZodObject = z.ZodObject,
  Data extends z.ZodObject = z.ZodObject,
> extends Omit<Command<Args, Data>, "run"> {
  run(args: z.infer<Args>, context: CommandContext): Promise<z.infer<Data>>;
  /** What people see of the data; a command that prints while it runs needs none. */
  format?(data: z.infer<Data>, context: CommandContext): string;
}

export function defineCommand<Args extends z.ZodObject, Data extends z.ZodObject>(
  command: TerminalCommand<Args, Data>,
): TerminalCommand<Args, Data> {
  return command;
}

/** The command as programs call it: its terminal is one that shows nothing and that nobody answers at. */
export function forPrograms(command: TerminalCommand): Command {
  const terminal = describeTerminal({ stdin: {}, stdout: {}, env: {} });
  return { ...command, run: (args, context) => command.run(args, { ...context, terminal }) };
}
