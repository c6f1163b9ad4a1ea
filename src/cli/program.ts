import { Argument, Command as Parser, Option, type OutputConfiguration } from "commander";
import type { Command } from "./define-command.ts";
import { ENVELOPE_VERSIONS } from "./envelope-version.ts";
import { flagsOf, optionOf, type Flag } from "./flags.ts";
import type { ListedCommand } from "./listed-command.ts";
import { OUTPUT_FORMATS } from "./output-format.ts";

/** What the parser is made from and where it hands over. */
export interface ProgramOptions {
  readonly commands: readonly ListedCommand[];
  /** The one of them that was typed: only its flags are known. */
  readonly loaded: Command | undefined;
  readonly version: string;
  /** Called with the command that was typed and what was given to it, unchecked. */
  readonly onCommand: (command: Command, given: Readonly<Record<string, unknown>>) => void;
  readonly output: OutputConfiguration;
  /** How the headings of the help look. */
  readonly styleTitle: (title: string) => string;
}

/** The words for commands that stand in one group. */
const GROUPS: Readonly<Record<string, string>> = { offline: "Serve the offline model to other programs" };

/** Derives the commander program from the commands. Where commander would exit, it throws a CommanderError. */
export function createProgram(options: ProgramOptions): Parser {
  const program = new Parser("skein")
    .description("Run coding agents as experiments, around the Claude Code CLI.")
    .version(options.version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .commandsGroup("Others:")
    .helpCommand("help [command]", "Show help for a command")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(options.output)
    .configureHelp({ styleTitle: options.styleTitle, subcommandTerm: termOf });
  const groups = new Map<string, Parser>();
  for (const command of options.commands) {
    const words = command.name.split(" ");
    const name = words.pop() ?? command.name;
    const group = words[0];
    if (group !== undefined && !groups.has(group)) groups.set(group, addGroup(program, group));
    const parent = group === undefined ? program : (groups.get(group) ?? program);
    const parser = addListed(parent, name, command);
    if (options.loaded?.name === command.name) addFlags(parser, options.loaded, options.onCommand);
  }
  return program;
}

/** A command in the list of commands: what it cannot do without, and what a group has. */
function termOf(parser: Parser): string {
  return [
    parser.name(),
    ...parser.commands.map((command) => command.name()),
    ...(parser.usage().match(/<\w+>/gu) ?? []),
  ].join(" ");
}

function addGroup(program: Parser, name: string): Parser {
  return program
    .command(name)
    .description(GROUPS[name] ?? "")
    .helpCommand(false);
}

function addListed(parent: Parser, name: string, { summary, heading, places }: ListedCommand): Parser {
  const parser = parent.command(name).description(summary).usage(places.join(" "));
  return heading === undefined ? parser : parser.helpGroup(heading);
}

function addFlags(parser: Parser, command: Command, onCommand: ProgramOptions["onCommand"]): void {
  parser.allowExcessArguments(false);
  const flags = flagsOf(command);
  // All are optional to commander, so that a missing one is reported by the same code as a wrong one.
  for (const field of command.positional ?? []) {
    const flag = flags.find((candidate) => candidate.field === field);
    parser.addArgument(new Argument(`[${field}]`, flag?.description));
  }
  for (const flag of flags) if (!flag.isPositional) parser.addOption(optionOf(flag, command.conflicts));
  parser.addOption(outputFormatOption(command));
  parser.addOption(
    new Option("--envelope-version <version>", "The shape of JSON answers").choices(ENVELOPE_VERSIONS).default("2"),
  );
  parser.usage(["[options]", ...flags.filter(({ isPositional }) => isPositional).map(placeOf)].join(" "));
  if (command.examples) parser.addHelpText("after", examplesText(command.examples));
  parser.action(() => {
    const positional = (command.positional ?? []).map((field, index) => [field, parser.args[index]]);
    onCommand(command, { ...parser.opts(), ...Object.fromEntries(positional) });
  });
}

function placeOf({ field, isRequired }: Flag): string {
  return isRequired ? `<${field}>` : `[${field}]`;
}

function outputFormatOption(command: Command): Option {
  const formats = OUTPUT_FORMATS.filter((format) => command.streaming !== undefined || format !== "stream-json");
  return new Option("--output-format <format>", "How to answer").choices(formats).default("text");
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  skein ${example}`).join("\n")}\n`;
}
