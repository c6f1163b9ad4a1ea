import { Command as Parser, type OutputConfiguration, CommanderError } from "commander";
import type { ListedCommand } from "../protocol/index.ts";
import { describeTerminal, type Terminal, type TerminalStreams } from "../terminal/index.ts";

interface ProgramOptions {
  readonly commands: readonly ListedCommand[];
  /** The one of them that was typed, and what gives its parser its flags: only these are known. */
  readonly typed?: { readonly name: string; readonly complete: (parser: Parser) => void } | undefined;
  readonly version: string;
  readonly terminal: Terminal;
  readonly output: OutputConfiguration;
}

const GROUPS: Readonly<Record<string, string>> = { offline: "Serve the offline model to other programs" };

/** Derives the commander program from the commands. Where commander would exit, it throws a CommanderError. */
export function createProgram({ commands, typed, version, terminal, output }: ProgramOptions): Parser {
  const program = new Parser("skein")
    .description("Run coding agents the way you run experiments, with the Claude Code CLI.")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .commandsGroup("Other:")
    .helpCommand("help [command]", "Show help for a command")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getOutHasColors: () => terminal.colors.isColorSupported,
      ...output,
    })
    .configureHelp({ styleTitle: terminal.colors.bold, subcommandTerm: termOf });
  const groups = new Map<string, Parser>();
  for (const { name, summary, heading, places } of commands) {
    const [last = name, group] = name.split(" ").toReversed();
    if (group !== undefined && !groups.has(group)) groups.set(group, addGroup(program, group));
    const parent = (group === undefined ? undefined : groups.get(group)) ?? program;
    const parser = parent.command(last).description(summary).usage(places.join(" "));
    if (heading !== undefined) parser.helpGroup(heading);
    if (typed?.name === name) typed.complete(parser);
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

interface HelpLine extends TerminalStreams, Pick<ProgramOptions, "commands" | "version"> {
  readonly argv: readonly string[];
  readonly stdout: TerminalStreams["stdout"] & { write(text: string): boolean };
}

const CALLS = new Set(["", "-h", "--help", "help", "-V", "--version"]);

/** Whether only the list of commands or the version is asked for, in words for people. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.length < 2 && CALLS.has(argv[0] ?? "");
}

/** Shows it. Nothing that commands are made of is loaded for it, so that it is there at once. */
export function showHelp(line: HelpLine): void {
  const { argv, stdout } = line;
  const output = { writeOut: (text: string) => void stdout.write(text) };
  const program = createProgram({ ...line, terminal: describeTerminal(line), output });
  try {
    program.parse(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
}
