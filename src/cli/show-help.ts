import { CommanderError } from "commander";
import type { ListedCommand } from "../protocol/index.ts";
import { createProgram } from "./program.ts";
import { describeTerminal, type TerminalStreams } from "./terminal.ts";

/** What is shown, and where. */
export interface HelpLine extends TerminalStreams {
  readonly argv: readonly string[];
  readonly commands: readonly ListedCommand[];
  readonly version: string;
  readonly stdout: TerminalStreams["stdout"] & { write(text: string): boolean };
}

const CALLS = new Set(["", "-h", "--help", "help", "-V", "--version"]);

/** Whether only the list of commands or the version is asked for, in words for people. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.length < 2 && CALLS.has(argv[0] ?? "");
}

/** Shows it. Nothing that commands are made of is loaded for it, so that it is there at once. */
export function showHelp(line: HelpLine): void {
  const { commands, version, argv, stdout } = line;
  const terminal = describeTerminal(line);
  const program = createProgram({
    commands,
    version,
    output: {
      writeOut: (text) => void stdout.write(text),
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getOutHasColors: () => terminal.colors.isColorSupported,
    },
    styleTitle: terminal.colors.bold,
  });
  try {
    program.parse(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
}
