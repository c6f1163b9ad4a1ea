import type { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { Command } from "./command.ts";
import { expectedBy, flagsOf, toWords } from "./flags.ts";

/** Checks what was given on the command line; the first thing that is wrong is a usage error that names its flag. */
export function parseArgs<Args extends z.ZodObject>(
  command: Command<Args>,
  given: Readonly<Record<string, unknown>>,
): z.infer<Args> {
  const arranged = command.rearrange?.(given) ?? given;
  const parsed = command.args.safeParse(arranged);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0]);
  const flag = flagsOf(command).find((candidate) => candidate.field === field);
  const value = arranged[field];
  if (!flag) throw usageError(command.name, parsed.error.message);
  if (flag.isPositional && value === undefined) {
    throw usageError(command.name, `The argument ${flag.name} is missing`, {
      target: toWords(field),
      hint: `Flags with several values also take the words after them: put ${flag.name} first, or write -- before it.`,
    });
  }
  const { name } = flag;
  throw usageError(command.name, `${name} must be ${expectedBy(flag)}, not ${JSON.stringify(value)}`, { target: name });
}

/** An error of the person who typed the command; the hint says where the right way is written. */
export function usageError(
  command: string,
  message: string,
  options: { readonly target?: string | undefined; readonly hint?: string | undefined } = {},
): SkeinError {
  const help = command === "" ? "skein --help" : `skein ${command} --help`;
  return new SkeinError(message, { kind: "usage", target: options.target, hint: options.hint ?? `See ${help}` });
}
