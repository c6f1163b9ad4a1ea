import type { Readable } from "node:stream";
import type { OutputFormat } from "./output-format.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is given beside its arguments. */
export interface CommandContext {
  readonly format: OutputFormat;
  readonly terminal: Terminal;
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C, by a request to end, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** Writes text for people to standard output; nothing in the JSON formats. */
  print(text: string): Promise<void>;
  /** Writes an event as a line of JSON, where the format has events. */
  emit(event: unknown): Promise<void>;
  /** Writes a line to standard error. */
  notice(line: string): void;
}
