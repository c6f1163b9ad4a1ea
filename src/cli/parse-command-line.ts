import { CommanderError, type Command as Parser } from "commander";
import type { SkeinError } from "../core/internal.ts";
import { type ListedCommand, ownFlag, usageError } from "../protocol/index.ts";
import { addWords, type ParserWords } from "./add-words.ts";
import type { TerminalCommand } from "./define-command.ts";
import { firstLines } from "./first-lines.ts";
import { areLeadingFlags, moveLeadingFlags } from "./leading-flags.ts";
import { parserWords } from "./parser-words.ts";
import { createProgram, readHelpCall } from "./program.ts";
import { commandFor } from "./suggest-command.ts";
import type { Terminal } from "../terminal/index.ts";

/** What was typed: a command and what was given to it, unchecked; a call for help; or something that cannot be. */
export type Typed = { readonly name: string } & (
  | { readonly type: "command"; readonly command: TerminalCommand; readonly given: Readonly<Record<string, unknown>> }
  | { readonly type: "help"; readonly data: object; readonly text: string }
  | { readonly type: "error"; readonly error: SkeinError }
);

export interface CommandLineWords {
  readonly argv: readonly string[];
  readonly commands: readonly ListedCommand[];
  readonly load: (name: string) => Promise<TerminalCommand>;
  /** What the build wrote down of a command's flags, which takes less than to ask its schemas. */
  readonly words?: (name: string) => ParserWords | undefined;
  readonly version: string;
  readonly terminal: Terminal;
}

/** Parses a command line with commander, which neither prints nor exits by itself. */
export async function parseCommandLine(line: CommandLineWords): Promise<Typed> {
  const { commands, version, terminal } = line;
  const { argv, isCall, hasAll } = readHelpCall(moveLeadingFlags(line.argv, commands));
  if (argv.length === 0) {
    const text = firstLines(terminal);
    return { type: "help", name: "skein", data: { help: text }, text };
  }
  const printed: string[] = [];
  // What is no command is told as one that is not known, and not answered with the help of all.
  const [first = "-"] = withoutHelp(argv);
  const isKnown = first.startsWith("-") || commands.some((each) => each.name.split(" ")[0] === first);
  const name = commandName(argv, commands);
  const wanted = name === "" ? commandName(withoutHelp(argv), commands) : name;
  const command = wanted === "" ? undefined : await line.load(wanted);
  let typed: Typed | undefined;
  const complete = (parser: Parser): void => {
    if (!command) return;
    addWords(parser, line.words?.(command.name) ?? parserWords(command), (given) => {
      typed = { type: "command", name: command.name, command, given };
    });
  };
  const program = createProgram({
    commands,
    version,
    terminal,
    hasAll: hasAll || !isCall,
    typed: command && { name: command.name, complete },
    output: {
      writeOut: (text) => void printed.push(text),
      writeErr: (text) => void printed.push(text),
      outputError: () => {},
    },
  });
  try {
    // The help in JSON: what says so is no flag of the help's own.
    const isList = isCall && areLeadingFlags(argv.slice(1));
    program.parse(isList ? ["--help"] : isKnown ? argv : [first], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = printed.join("");
    if (error.exitCode !== 0)
      return { type: "error", name: name || "skein", error: toUsageError(error, { name, command, text }) };
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

function toUsageError(
  error: CommanderError,
  {
    name,
    command,
    text,
  }: { readonly name: string; readonly command: TerminalCommand | undefined; readonly text: string },
): SkeinError {
  // A group without its command: commander shows the help, which is the best hint there is.
  if (error.code === "commander.help") return usageError(name, "The command is incomplete", { hint: text.trimEnd() });
  const [message = "", suggestion] = error.message
    .replace(/^error: /u, "")
    // A flag is told by its name, not by its letter.
    .replaceAll(/'-\w, (?=--)/gu, "'")
    .split("\n");
  const target = /'([^']+)'/u.exec(message)?.[1];
  const [flag, value] = target?.split(" ") ?? [];
  if (error.code === "commander.optionMissingArgument")
    return usageError(name, `${flag} needs a value: ${value}`, { target: flag });
  const own = ownWord(error, { target, command }) ?? quotedWords(error, command);
  // The help is named where nothing is like what was typed.
  const alike = suggestion === "(Did you mean --help?)" ? undefined : suggestion?.replace(/^\((.*)\)$/u, "$1");
  return usageError(name, message.charAt(0).toUpperCase() + message.slice(1), {
    target,
    hint: own === undefined ? alike : `Did you mean ${own}?`,
  });
}

/** A prompt, or words to search for, that somebody typed without quotes. */
function quotedWords({ code }: CommanderError, command: TerminalCommand | undefined): string | undefined {
  const place = command?.positional?.at(-1);
  const isText = place === "prompt" || place === "words";
  return code === "commander.excessArguments" && isText ? `skein ${command?.name} "…", in quotes` : undefined;
}

function ownWord(
  { code }: CommanderError,
  { target, command }: { readonly target: string | undefined; readonly command: TerminalCommand | undefined },
): string | undefined {
  if (code === "commander.unknownCommand") return commandFor(target);
  return command && code === "commander.unknownOption" ? ownFlag(target, command) : undefined;
}
