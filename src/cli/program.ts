import { Command as Parser, type OutputConfiguration, CommanderError } from "commander";
import type { ListedCommand } from "../protocol/index.ts";
import { describeTerminal, type TerminalStreams } from "./terminal.ts";

/** What the parser is made from and where it hands over. */
interface ProgramOptions {
  readonly commands: readonly ListedCommand[];
  /** The one of them that was typed, and what gives its parser its flags: only these are known. */
  readonly typed?: { readonly name: string; readonly complete: (parser: Parser) => void } | undefined;
  readonly version: string;
  readonly output: OutputConfiguration;
  /** How the headings of the help look. */
  readonly styleTitle: (title: string) => string;
}

/** The words for commands that stand in one group. */
const GROUPS: Readonly<Record<string, string>> = { offline: "Serve the offline model to other programs" };

/** Derives the commander program from the commands. Where commander would exit, it throws a CommanderError. */
export function createProgram(options: ProgramOptions): Parser {
  const program = new Parser("skein")
    .description("Run coding agents the way you run experiments, with the Claude Code CLI.")
    .version(options.version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .commandsGroup("Other:")
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
    if (options.typed?.name === command.name) options.typed.complete(parser);
  }
  return program;
}

/** A command in the list of commands: what it cannot do without, and what a group has. */
function termOf(parser: Parser): string {
  return [
    parser.name(),
    ...parser.commands.map((command) => command.name()),
    ...(parser.usage().match(/<[\w-]+>/gu) ?? []),
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

/** What is shown, and where. */
interface HelpLine extends TerminalStreams {
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
