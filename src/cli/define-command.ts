import type { z } from "zod";
import type { CommandEffects } from "./command-effects.ts";
import type { CommandContext } from "./command-context.ts";

/** A command as data: the parser, the help, the envelope and the tests all come from this one object. */
export interface Command<Args extends z.ZodObject = z.ZodObject, Data extends z.ZodObject = z.ZodObject> {
  /** What is typed; a word before a space is a group: `offline serve`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The heading under which the help lists it. */
  readonly heading?: string;
  /** What it does to the world. */
  readonly effects: CommandEffects;
  /**
   * A flag for each field, camelCase as `--kebab-case`; `.meta()` has its `FlagMeta`. One that is true by default is
   * given as its denial: `record` as `--no-record`.
   */
  readonly args: Args;
  /** The fields that are given without a flag, in this order; those that may be left out come last. */
  readonly positional?: readonly (keyof z.infer<Args> & string)[];
  /** Flags of which only one can be given. */
  readonly conflicts?: readonly (keyof z.infer<Args> & string)[];
  /** Moves words to the fields that they belong to, before they are checked. */
  rearrange?(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What the envelope's `data` is. */
  readonly data: Data;
  /** Whether it has events to tell: when `stream-json` asks for them, or in every JSON format. */
  readonly streaming?: "on-request" | "always";
  /** Examples for the help, without the leading `skein`. */
  readonly examples?: readonly string[];
  /** Does it. What it throws becomes the error of the envelope. */
  run(args: z.infer<Args>, context: CommandContext): Promise<z.infer<Data>>;
  /** What people see of the data; a command that prints while it runs needs none. */
  format?(data: z.infer<Data>, context: CommandContext): string;
}

/** What a field's `.meta()` can say about its flag, beside `description`. */
export interface FlagMeta {
  /** The word for the value in the help: `--cwd <directory>`. */
  readonly label?: string;
  /** The value of the flag when it is given without one; makes its value optional. */
  readonly preset?: string;
}

/** Gives a command its types. */
export function defineCommand<Args extends z.ZodObject, Data extends z.ZodObject>(
  command: Command<Args, Data>,
): Command<Args, Data> {
  return command;
}
