import { CommanderError, type Command as Parser } from "commander";
import type { SkeinError } from "../core/index.ts";
import { addFlags } from "./add-flags.ts";
import { type ListedCommand, usageError } from "../protocol/index.ts";
import type { TerminalCommand } from "./define-command.ts";
import { createProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";

/** What was typed: a command and what was given to it, unchecked; a call for help; or something that cannot be. */
export type Typed = { readonly name: string } & (
  | { readonly type: "command"; readonly command: TerminalCommand; readonly given: Readonly<Record<string, unknown>> }
  | { readonly type: "help"; readonly data: object; readonly text: string }
  | { readonly type: "error"; readonly error: SkeinError }
);

/** The words, and what they are parsed with. */
export interface CommandLineWords {
  readonly argv: readonly string[];
  readonly commands: readonly ListedCommand[];
  readonly load: (name: string) => Promise<TerminalCommand>;
  readonly version: string;
  /** Where help is shown. */
  readonly terminal: Terminal;
}

/** Parses a command line with commander, which neither prints nor exits by itself. */
export async function parseCommandLine(line: CommandLineWords): Promise<Typed> {
  const { argv, commands, version, terminal } = line;
  const printed: string[] = [];
  const name = commandName(argv, commands);
  const wanted = name === "" ? commandName(withoutHelp(argv), commands) : name;
  const command = wanted === "" ? undefined : await line.load(wanted);
  let typed: Typed | undefined;
  const program = createProgram({
    commands,
    version,
    ...(command
      ? {
          typed: {
            name: command.name,
            complete: (parser: Parser) =>
              addFlags(parser, command, (given) => {
                typed = { type: "command", name: command.name, command, given };
              }),
          },
        }
      : {}),
    output: {
      writeOut: (text) => void printed.push(text),
      writeErr: (text) => void printed.push(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getOutHasColors: () => terminal.colors.isColorSupported,
    },
    styleTitle: terminal.colors.bold,
  });
  try {
    program.parse(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = printed.join("");
    if (error.exitCode !== 0) return { type: "error", name: name || "skein", error: toUsageError(error, name, text) };
    const data = error.code === "commander.version" ? { version } : { help: text };
    return { type: "help", name: name || "skein", data, text };
  }
  return typed ?? { type: "error", name: "skein", error: usageError("", "No command was given") };
}

/** `help run` is about `run`. */
function withoutHelp(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? argv.slice(1) : argv;
}

function commandName(argv: readonly string[], commands: readonly ListedCommand[]): string {
  const words = argv.filter((word) => !word.startsWith("-"));
  const found = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  return found?.name ?? "";
}

function toUsageError(error: CommanderError, command: string, help: string): SkeinError {
  // A group without its command: commander shows the help, which is the best hint there is.
  if (error.code === "commander.help")
    return usageError(command, "The command is incomplete", { hint: help.trimEnd() });
  const [message = "", suggestion] = error.message.replace(/^error: /u, "").split("\n");
  return usageError(command, message.charAt(0).toUpperCase() + message.slice(1), {
    target: /'([^']+)'/u.exec(message)?.[1],
    hint: suggestion?.replace(/^\((.*)\)$/u, "$1"),
  });
}
