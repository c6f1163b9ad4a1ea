import type { Readable } from "node:stream";
import type { Confinement } from "./confinement/confinement.ts";
import type { Command } from "./define-command.ts";
import type { ListedCommand } from "./listed-command.ts";
import type { OutputFormat } from "./output-format.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is given beside its arguments. */
export interface CommandContext {
  readonly format: OutputFormat;
  readonly terminal: Terminal;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All commands, for those that tell of commands or run them. */
  readonly commands: CommandTable;
  /** The bounds of a command that a model calls. */
  readonly confinement?: Confinement;
  /** Aborted by Ctrl-C, by a request to end, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** Writes text for people to standard output; nothing in the JSON formats. What steers a terminal is left out unless a program reads it. */
  print(text: string, options?: { readonly isForProgram?: boolean }): Promise<void>;
  /** Writes an event as a line of JSON, where the format has events. */
  emit(event: unknown): Promise<void>;
  /** Writes a line to standard error. */
  notice(line: string): void;
}

/** Every command there is: what the help shows of them, and each in whole by its name. */
export interface CommandTable {
  readonly list: readonly ListedCommand[];
  load(name: string): Promise<Command>;
}
