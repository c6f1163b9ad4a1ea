import { SkeinError } from "../../core/index.ts";
import type { Command } from "./command.ts";
import { expectedBy, flagsOf } from "./flags.ts";
import { toWireKey } from "./wire-keys.ts";

/**
 * Checks what a program gave a command, by field: the same rules as on the command line, said in the names of the fields, which are snake_case here.
 * A field that the command does not have is refused, so that a misspelt limit is not a missing one.
 */
export function parseParams(command: Command, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { name, args, conflicts = [] } = command;
  const fields = new Map(Object.keys(args.shape).map((field) => [toWireKey(field), field]));
  const unknown = Object.keys(params).find((key) => !fields.has(key));
  if (unknown !== undefined) {
    const hint = `It takes ${[...fields.keys()].join(", ")}.`;
    throw paramsError(name, { field: unknown, message: `${name} takes no ${unknown}`, hint });
  }
  const [first, second] = conflicts.map(toWireKey).filter((key) => params[key] !== undefined && params[key] !== false);
  if (first !== undefined && second !== undefined) {
    throw paramsError(name, { field: second, message: `${second} cannot be given together with ${first}` });
  }
  const parsed = args.safeParse(
    Object.fromEntries(Object.entries(params).map(([key, value]) => [fields.get(key), value])),
  );
  if (parsed.success) return parsed.data;
  const wrongField = String(parsed.error.issues[0]?.path[0]);
  const flag = flagsOf(command).find((candidate) => candidate.field === wrongField);
  const field = toWireKey(wrongField);
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
