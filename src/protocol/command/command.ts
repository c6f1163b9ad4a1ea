import type { Readable } from "node:stream";
import type { z } from "zod";
import type { Configuration } from "../../config/internal.ts";
import type { Confinement } from "./confinement.ts";
import type { OutputFormat } from "./envelope.ts";

/** A command as data: the parser, the help, the envelope and the tests all come from this one object. */
export interface Command<Args extends z.ZodObject = z.ZodObject, Data extends z.ZodObject = z.ZodObject> {
  /** What is typed; a word before a space is a group: `offline serve`. */
  readonly name: string;
  readonly summary: string;
  readonly heading?: string;
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
  readonly data: Data;
  /** Whether it has events to tell: when `stream-json` asks for them, or in every JSON format. */
  readonly streaming?: "on-request" | "always";
  /** The events that it tells of its own, as they cross a process; each has a `type`. */
  readonly events?: readonly z.ZodObject[];
  /** Whether the events of turns are among what it tells. */
  readonly hasTurnEvents?: boolean;
  /** What its errors have beside the fields that those of all commands have. */
  readonly errorDetails?: z.ZodObject;
  /** Examples for the help, without the leading `skein`. */
  readonly examples?: readonly string[];
  run(args: z.infer<Args>, context: CallContext): Promise<z.infer<Data>>;
}

/** What a field's `.meta()` can say about its flag, beside `description`. */
export interface FlagMeta {
  /** The word for the value in the help: `--cwd <directory>`. */
  readonly label?: string;
  /** The value of the flag when it is given without one; makes its value optional. */
  readonly preset?: string;
  /** Whether its value may hold a secret, so that no error repeats it. */
  readonly writeOnly?: boolean;
  /** The key of `skein.config.json` that says it where the flag is not given: `permissions.mode`. */
  readonly setting?: string;
}

/** What a command does to the world: told to models and programs, so that they, or who watches over them, know before they call it. */
export interface CommandEffects {
  /** What becomes of what is there: it is only looked at, something is added, or something is replaced or removed. */
  readonly changes: "nothing" | "adds" | "replaces";
  /** Whether a second call with the same arguments changes nothing more. */
  readonly isRepeatable: boolean;
  /** How far it reaches: the workspace and its records, this machine, or other machines, the API's among them. */
  readonly reaches: "workspace" | "machine" | "world";
}

/** What a command is given beside its arguments, whoever calls it. */
export interface CallContext {
  readonly format: OutputFormat;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commands: CommandTable;
  readonly confinement?: Confinement;
  /** Completes what a command was given by what is configured. */
  readonly configure?: ConfigureCall;
  /** What is configured, for a command of which something can be. */
  readonly configuration?: Configuration;
  /** Aborted by Ctrl-C, by a request to end, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** Writes text for people to standard output; nothing in the JSON formats. What steers a terminal is left out unless a program reads it. */
  print(text: string, options?: { readonly isForProgram?: boolean }): Promise<void>;
  emit(event: unknown): Promise<void>;
  notice(line: string): void;
}

/** What was given to a command, by field, with what is configured in the places that were left out; nothing where nothing of it can be. */
export type ConfigureCall = (
  command: Pick<Command, "args">,
  given: Readonly<Record<string, unknown>>,
  context: Pick<CallContext, "env" | "confinement" | "notice">,
) => Promise<ConfiguredCall | undefined>;

export interface ConfiguredCall {
  readonly given: Readonly<Record<string, unknown>>;
  readonly configuration: Configuration;
}

/** Every command there is: what the help shows of them, and each in whole by its name, ready to be called. */
export interface CommandTable {
  readonly list: readonly ListedCommand[];
  load(name: string): Promise<Command>;
}

/** A command as the list of commands shows it. The build writes the list, so that showing it loads no command. */
export interface ListedCommand extends Pick<Command, "name" | "summary" | "heading"> {
  readonly places: readonly string[];
}
