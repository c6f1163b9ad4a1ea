import type { Writable } from "node:stream";
import { formatJsonl, type SkeinError } from "../core/internal.ts";
import { errorEnvelope, exitCodeOf, successEnvelope, type EnvelopeSource, type ExitCode } from "../protocol/index.ts";
import { plainOutput, plainText, type Terminal } from "../terminal/index.ts";

interface OutputStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly terminal: Terminal;
  /** Called once when standard output takes nothing any more. */
  readonly onBroken: (error: NodeJS.ErrnoException) => void;
}

/** The one writer: text, events, and at the end one envelope or, for people, the error on standard error. */
export interface Output {
  /** Prints text without anything that steers a terminal but what we write ourselves; as it is where a program reads it. */
  print(text: string, options?: { readonly isForProgram?: boolean }): Promise<void>;
  emit(event: unknown): Promise<void>;
  notice(line: string): void;
  /** Writes the end of a command that succeeded, unless an end was written. */
  succeed(command: string, result: { readonly data: object; readonly text: string }): Promise<ExitCode>;
  /** Writes the end of a command that failed, unless an end was written; the code is the error's own, or one that is told. */
  fail(command: string, error: SkeinError, exitCode?: ExitCode): Promise<ExitCode>;
}

export function createOutput(spoken: Pick<EnvelopeSource, "format" | "version">, streams: OutputStreams): Output {
  const { stderr, terminal } = streams;
  const { format } = spoken;
  const stdout = guardStdout(streams);
  let hasEnded = false;
  let hasPrinted = false;
  const write = (text: string): Promise<boolean> => (hasEnded ? Promise.resolve(false) : stdout.write(text));
  const end = (text: string): Promise<boolean> => {
    const written = write(text);
    hasEnded = true;
    return written;
  };

  return {
    async print(text, { isForProgram = false } = {}) {
      hasPrinted = true;
      if (format === "text") await write(isForProgram ? text : plainOutput(text, terminal));
    },
    async emit(event) {
      await write(formatJsonl(event));
    },
    notice: (line) => void stderr.write(`${plainOutput(line, terminal)}\n`),
    async succeed(command, { data, text }) {
      const isWritten = await end(
        format === "text" ? plainOutput(text, terminal) : formatJsonl(successEnvelope({ command, ...spoken }, data)),
      );
      return isWritten ? 0 : 1;
    },
    async fail(command, error, exitCode = exitCodeOf(error)) {
      if (format === "text" && !hasEnded && !stdout.isBroken()) {
        // Kept apart from what the command has shown on the same terminal.
        stderr.write(`${hasPrinted && terminal.isLive ? "\n" : ""}${errorText(error, terminal)}`);
      }
      await end(format === "text" ? "" : formatJsonl(errorEnvelope({ command, ...spoken }, error, exitCode)));
      return exitCode;
    },
  };
}

interface GuardedStdout {
  isBroken(): boolean;
  /** Resolves when the text is out of our hands: true, or false when nobody takes it. */
  write(text: string): Promise<boolean>;
}

function guardStdout({ stdout, stderr, onBroken }: OutputStreams): GuardedStdout {
  let isBroken = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (isBroken) return;
    isBroken = true;
    // A reader that went away is a way to stop a command, and nothing to complain about.
    if (error.code !== "EPIPE") stderr.write(`Cannot write to standard output: ${error.message}\n`);
    onBroken(error);
  });
  return {
    isBroken: () => isBroken,
    write: (text) =>
      new Promise((resolve) => {
        if (isBroken || text === "") resolve(!isBroken);
        else stdout.write(text, (error) => resolve(!error));
      }),
  };
}

function errorText(error: SkeinError, { colors }: Terminal): string {
  // An error may quote what a server or a file said.
  const hint = error.hint === undefined ? "" : `${colors.dim(plainText(error.hint))}\n`;
  return `${colors.red("Error:")} ${plainText(error.message)}\n${hint}`;
}
