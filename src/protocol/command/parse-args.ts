import type { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import type { Command } from "./command.ts";
import { expectedBy, flagsOf, toWords, type Flag } from "./describe-command.ts";
import { meantField } from "./own-word.ts";
import { toWireKey } from "./wire-keys.ts";

/** Checks what was given on the command line and gives it, by field; the first thing that is wrong is a usage error that names its flag. */
export function parseArgs(
  command: Command,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const arranged = command.rearrange?.(given) ?? given;
  const parsed = command.args.safeParse(arranged);
  if (parsed.success) return arranged;
  const { field, flag } = findWrong(command, parsed.error);
  const value = arranged[field];
  if (!flag) throw usageError(command.name, parsed.error.message);
  if (flag.isPositional && value === undefined) {
    throw usageError(command.name, `The argument ${flag.name} is missing`, {
      target: toWords(field),
      hint: isAnyList(given)
        ? `Flags with several values also take the words after them: put ${flag.name} first, or write -- before it.`
        : exampleOf(command),
    });
  }
  const { name } = flag;
  throw usageError(command.name, `${name} ${mustBe(flag, value)}`, { target: name });
}

function isAnyList(given: Readonly<Record<string, unknown>>): boolean {
  return Object.values(given).some((value) => Array.isArray(value) && value.length > 0);
}

function exampleOf({ name, examples = [] }: Command): string {
  const [first] = examples;
  return first === undefined ? `See skein ${name} --help` : `For example: skein ${first}`;
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

/**
 * Checks what a program gave a command, and gives it by field: the same rules as on the command line, said in the names of the fields, which are snake_case here.
 * A field that the command does not have is refused, so that a misspelt limit is not a missing one.
 */
export function parseParams(
  command: Command,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { name, args, conflicts = [] } = command;
  const fields = new Map(Object.keys(args.shape).map((field) => [toWireKey(field), field]));
  const unknown = Object.keys(params).find((key) => !fields.has(key));
  const wrong = (target: string, message: string, hint = `The schema command shows what ${name} takes.`): SkeinError =>
    new SkeinError(message, { kind: "usage", target, hint });
  if (unknown !== undefined) {
    throw unknownField(name, unknown, [...fields.keys()]);
  }
  const [first, second] = conflicts.map(toWireKey).filter((key) => params[key] !== undefined && params[key] !== false);
  if (first !== undefined && second !== undefined) {
    throw wrong(second, `${second} cannot be given together with ${first}`);
  }
  const given = Object.fromEntries(Object.entries(params).map(([key, value]) => [fields.get(key), value])) as object;
  const parsed = args.safeParse(given);
  if (parsed.success) return { ...given };
  const { field, flag } = findWrong(command, parsed.error);
  const key = toWireKey(field);
  if (params[key] === undefined) throw wrong(key, `${key} is missing`);
  throw wrong(key, `${key} ${flag ? mustBe(flag, params[key]) : "is wrong"}`);
}

/** The error of a field that is not there, with the one that was probably meant. */
export function unknownField(name: string, given: string, fields: readonly string[]): SkeinError {
  const meant = meantField(given, fields);
  const hint = meant === undefined ? `It takes ${fields.join(", ")}.` : `Did you mean ${meant}?`;
  return new SkeinError(`${name} takes no ${given}`, { kind: "usage", target: given, hint });
}

function mustBe(flag: Flag, value: unknown): string {
  return `must be ${expectedBy(flag)}${flag.writeOnly ? "" : `, not ${JSON.stringify(value)}`}`;
}

/** The first thing that is wrong; it may be no single field. */
function findWrong(command: Command, error: z.ZodError): { readonly field: string; readonly flag: Flag | undefined } {
  const field = String(error.issues[0]?.path[0]);
  return { field, flag: flagsOf(command).find((flag) => flag.field === field) };
}
