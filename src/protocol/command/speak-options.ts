import { defined, errorFromRecord, type SkeinError } from "../../core/internal.ts";
import type { Command } from "./command.ts";
import { flagsOf } from "./describe-command.ts";
import { toWireKey } from "./wire-keys.ts";

/** Who is spoken to: a person at a command line, who types flags; or a program, which gives fields. */
export type Speech = "flags" | "fields";

/** Options of the library that commands take by another name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["timeoutMs", "timeout"],
  ["idleTimeoutMs", "idleTimeout"],
]);

/** A hint names an option in backticks, by its name in the library: raise `maxCostUsd`. */
const NAMED = /`([a-z][A-Za-z\d]*)`/gu;

/** A message may name the flags that it is about; to a program they are its fields. */
const FLAG = /--[a-z][a-z\d-]*/gu;

interface Told {
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly target?: string | undefined;
}

/** Puts the options that an error names into the words of its reader; an option that the command does not take keeps its name. */
function speakOptions(command: Command, speech: Speech): <Error extends Told>(error: Error) => Error {
  // Asked of its schema when there is something to say: most commands have nothing.
  let names: OptionNames | undefined;
  return (error) => put(error, (names ??= optionNames(command, speech)));
}

interface OptionNames {
  readonly byField: ReadonlyMap<string, string>;
  readonly byFlag: ReadonlyMap<string, string | undefined>;
  readonly speech: Speech;
}

function optionNames(command: Command, speech: Speech): OptionNames {
  const flags = flagsOf(command);
  const byField = new Map(flags.map(({ field, name }) => [field, speech === "flags" ? name : toWireKey(field)]));
  const byFlag = new Map(flags.map(({ field, name }) => [name, byField.get(field)]));
  return { byField, byFlag, speech };
}

function put<Error extends Told>(error: Error, { byField, byFlag, speech }: OptionNames): Error {
  const nameOf = (option: string): string | undefined => byField.get(OTHER_NAMES.get(option) ?? option);
  const targetOf = (): string | undefined => {
    const { target = "" } = error;
    const isOption = /[A-Z]/u.test(target) || (error as { readonly option?: unknown }).option === target;
    return byFlag.get(target) ?? (isOption ? nameOf(target) : undefined) ?? error.target;
  };
  const hint = error.hint?.replaceAll(NAMED, (whole, option: string) => nameOf(option) ?? whole);
  const target = targetOf();
  const isOfFlags = speech === "fields" && error.target?.startsWith("--");
  const message = isOfFlags ? error.message?.replaceAll(FLAG, (flag) => byFlag.get(flag) ?? flag) : error.message;
  if (hint === error.hint && target === error.target && message === error.message) return error;
  return { ...error, ...defined({ hint, target, message }) };
}

/** The same for an error that is thrown on. */
export function speakError(command: Command, speech: Speech, error: SkeinError): SkeinError {
  const record = error.toJSON();
  const told = speakOptions(command, speech)(record);
  if (told === record) return error;
  const { cause: _, ...rest } = told;
  return Object.assign(errorFromRecord({ ...rest, name: error.name, kind: error.kind }, error.details), {
    cause: error.cause,
  });
}

/** The same for an event that carries an error, or a result with one. */
export function speakEvent(command: Command, speech: Speech): (event: unknown) => unknown {
  const speak = speakOptions(command, speech);
  const inside = (value: unknown): unknown => {
    const { error } = (value ?? {}) as { readonly error?: unknown };
    return isTold(error) ? { ...(value as object), error: speak(error) } : value;
  };
  return (event) => {
    const { result } = (event ?? {}) as { readonly result?: unknown };
    const told = inside(result);
    return inside(told === result ? event : { ...(event as object), result: told });
  };
}

function isTold(error: unknown): error is Told {
  const { hint, target } = (error ?? {}) as { readonly hint?: unknown; readonly target?: unknown };
  return typeof hint === "string" || typeof target === "string";
}
