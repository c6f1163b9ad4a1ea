import { CommanderError, type Command as Parser, Argument, Option } from "commander";
import type { SkeinError } from "../core/internal.ts";
import {
  flagsOf,
  type ListedCommand,
  usageError,
  type Command,
  ENVELOPE_VERSIONS,
  OUTPUT_FORMATS,
  ownFlag,
  toWords,
  type Flag,
} from "../protocol/index.ts";
import type { TerminalCommand } from "./define-command.ts";
import { firstLines } from "./first-lines.ts";
import { areLeadingFlags, moveLeadingFlags } from "./leading-flags.ts";
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
  const name = commandName(argv, commands);
  const wanted = name === "" ? commandName(withoutHelp(argv), commands) : name;
  const command = wanted === "" ? undefined : await line.load(wanted);
  let typed: Typed | undefined;
  const complete = (parser: Parser): void => {
    if (!command) return;
    addFlags(parser, command, (given) => {
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
    program.parse(isList ? ["--help"] : argv, { from: "user" });
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
  const own = ownWord(error, { target, command });
  return usageError(name, message.charAt(0).toUpperCase() + message.slice(1), {
    target,
    hint: own === undefined ? suggestion?.replace(/^\((.*)\)$/u, "$1") : `Did you mean ${own}?`,
  });
}

function ownWord(
  { code }: CommanderError,
  { target, command }: { readonly target: string | undefined; readonly command: TerminalCommand | undefined },
): string | undefined {
  if (code === "commander.unknownCommand") return commandFor(target);
  return command && code === "commander.unknownOption" ? ownFlag(target, command) : undefined;
}

/** Gives a command's parser the flags and arguments that the command has, and hands over what was typed. */
function addFlags(
  parser: Parser,
  command: Command,
  onCommand: (given: Readonly<Record<string, unknown>>) => void,
): void {
  parser.allowExcessArguments(false);
  const flags = flagsOf(command);
  // All are optional to commander, so that a missing one is reported by the same code as a wrong one.
  for (const field of command.positional ?? []) {
    const flag = flags.find((candidate) => candidate.field === field);
    parser.addArgument(new Argument(`[${toWords(field)}]`, flag?.description));
  }
  for (const flag of flags) if (!flag.isPositional) parser.addOption(optionOf(flag, command.conflicts));
  parser.addOption(outputFormatOption(command));
  parser.option("-j, --json", "Short for --output-format json");
  parser.addOption(
    new Option("--envelope-version <version>", "The version of the JSON output")
      .choices(ENVELOPE_VERSIONS)
      .default("2"),
  );
  const places = flags.filter(({ isPositional }) => isPositional);
  parser.usage(
    ["[options]", ...places.map(({ field, name, isRequired }) => (isRequired ? name : `[${toWords(field)}]`))].join(
      " ",
    ),
  );
  const examples = command.examples?.map((example) => `  skein ${example}\n`).join("");
  if (examples !== undefined) parser.addHelpText("after", `\nExamples:\n${examples}`);
  parser.action(() => {
    const positional = (command.positional ?? []).map((field, index) => [field, parser.args[index]]);
    onCommand({ ...typedOptions(parser), ...Object.fromEntries(positional) });
  });
}

/** What was typed, without the defaults that commander shows in the help: what was left out may be configured. */
function typedOptions(parser: Parser): object {
  const given = Object.entries(parser.opts()).filter(([name]) => parser.getOptionValueSource(name) !== "default");
  return Object.fromEntries(given);
}

/** A flag as commander's option. Values stay strings: the Zod schema checks them, and has the last word. */
function optionOf(flag: Flag, conflicts: readonly string[] = []): Option {
  const names = flag.short === undefined ? flag.name : `${flag.short}, ${flag.name}`;
  const option = new Option(`${names}${valueOf(flag)}`, flag.description);
  if (flag.preset !== undefined) option.preset(flag.preset);
  if (flag.enum) option.argChoices = [...flag.enum];
  if (flag.default !== undefined && flag.type !== "boolean" && flag.type !== "array") option.default(flag.default);
  if (conflicts.includes(flag.field)) option.conflicts(conflicts.filter((field) => field !== flag.field));
  return option;
}

function valueOf(flag: Flag): string {
  const label = flag.label ?? "value";
  if (flag.type === "boolean") return "";
  if (flag.type === "array") return ` <${label}...>`;
  return flag.preset === undefined ? ` <${label}>` : ` [${label}]`;
}

function outputFormatOption(command: Command): Option {
  const formats = OUTPUT_FORMATS.filter((format) => command.streaming !== undefined || format !== "stream-json");
  return new Option("--output-format <format>", "The output format").choices(formats).default("text");
}
