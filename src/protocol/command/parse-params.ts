import { SkeinError } from "../../core/index.ts";
import type { Command } from "./command.ts";
import { expectedBy, flagsOf } from "./flags.ts";

/**
 * Checks what a program gave a command, by field: the same rules as on the command line, said in the names of the fields.
 * A field that the command does not have is refused, so that a misspelt limit is not a missing one.
 */
export function parseParams(command: Command, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { name, args, conflicts = [] } = command;
  const unknown = Object.keys(params).find((field) => !Object.hasOwn(args.shape, field));
  if (unknown !== undefined) {
    const fields = Object.keys(args.shape).join(", ");
    throw paramsError(name, { field: unknown, message: `${name} takes no ${unknown}`, hint: `It takes ${fields}.` });
  }
  const [first, second] = conflicts.filter((field) => params[field] !== undefined && params[field] !== false);
  if (first !== undefined && second !== undefined) {
    throw paramsError(name, { field: second, message: `${second} cannot be given together with ${first}` });
  }
  const parsed = args.safeParse(params);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0]);
  const flag = flagsOf(command).find((candidate) => candidate.field === field);
  const value = params[field];
  const wrong = flag ? `must be ${expectedBy(flag)}, not ${JSON.stringify(value)}` : "is wrong";
  throw paramsError(name, { field, message: value === undefined ? `${field} is missing` : `${field} ${wrong}` });
}

function paramsError(
  command: string,
  { field, message, hint }: { readonly field: string; readonly message: string; readonly hint?: string },
): SkeinError {
  const help = hint ?? `The schema command shows what ${command} takes.`;
  return new SkeinError(message, { kind: "usage", target: field, hint: help });
}
