import { Command as Parser, type OutputConfiguration, CommanderError } from "commander";
import type { ListedCommand } from "../protocol/index.ts";
import { addWords, type ParserWords } from "./add-words.ts";
import { firstLines } from "./first-lines.ts";
import { describeTerminal, type Terminal, type TerminalStreams, wrapText } from "../terminal/index.ts";

interface ProgramOptions {
  readonly commands: readonly ListedCommand[];
  /** The one of them that was typed, and what gives its parser its flags: only these are known. */
  readonly typed?: { readonly name: string; readonly complete: (parser: Parser) => void } | undefined;
  readonly version: string;
  readonly terminal: Terminal;
  /** Whether the help lists what only programs use, too. */
  readonly hasAll?: boolean;
  readonly output: OutputConfiguration;
}

const GROUPS: Readonly<Record<string, string>> = {
  alerts: "Try the alerts of skein serve",
  offline: "Serve the offline model to other programs",
};

/** Derives the commander program from the commands. Where commander would exit, it throws a CommanderError. */
export function createProgram(options: ProgramOptions): Parser {
  const { commands, typed, version, terminal, hasAll = false, output } = options;
  const program = new Parser("skein")
    .description("Run coding agents the way you run experiments, with the Claude Code CLI.")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .commandsGroup("Settings and records:")
    .helpCommand("help [command]", "Show help for a command; --all lists every one")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => helpWidth(terminal),
      getOutHasColors: () => terminal.colors.isColorSupported,
      ...output,
    })
    // Narrower columns are wrapped too: the terminal itself would break words.
    .configureHelp({ styleTitle: terminal.colors.bold, subcommandTerm: termOf, minWidthToWrap: 16 });
  const isHidden = ({ heading }: ListedCommand): boolean => !hasAll && FOR_PROGRAMS.has(heading ?? "");
  const groups = new Map<string, Parser>();
  for (const listed of commands) {
    const { name, summary, heading, places } = listed;
    const [last = name, group] = name.split(" ").toReversed();
    if (group !== undefined && !groups.has(group))
      groups.set(group, addGroup(program, group, listed, isHidden(listed)));
    const parent = (group === undefined ? undefined : groups.get(group)) ?? program;
    const parser = parent
      .command(last, { hidden: isHidden(listed) })
      .description(summary)
      .usage(places.join(" "));
    if (heading !== undefined) parser.helpGroup(heading);
    if (typed?.name === name) typed.complete(parser);
  }
  const hidden = commands.filter(isHidden);
  const width = helpWidth(terminal);
  if (hidden.length > 0) program.addHelpText("after", `\n${wrapText(programsLine(hidden), width).join("\n")}`);
  return program;
}

/** Named in the list of commands, last and in short. */
const FOR_PROGRAMS = new Set(["For programs:", "Reports:", "Other machines:", "Protocols:"]);

const NAMED_FOR_PROGRAMS = ["rpc", "mcp", "schema", "offline serve"];

function programsLine(hidden: readonly ListedCommand[]): string {
  const others = hidden.length - NAMED_FOR_PROGRAMS.length;
  return `For programs: ${NAMED_FOR_PROGRAMS.join(", ")} and ${others} more; skein help --all lists them.`;
}

/** Longer lines are harder to read. */
function helpWidth({ columns }: Terminal): number {
  return Math.min(columns, 100);
}

/** A command in the list of commands: what it cannot do without, and what a group has. */
function termOf(parser: Parser): string {
  return [
    parser.name(),
    ...parser.commands.map((command) => command.name()),
    ...(parser.usage().match(/<[\w-]+>/gu) ?? []),
  ].join(" ");
}

function addGroup(program: Parser, name: string, { heading }: ListedCommand, hidden: boolean): Parser {
  const group = program.command(name, { hidden });
  if (heading !== undefined) group.helpGroup(heading);
  return group.description(GROUPS[name] ?? "").helpCommand(false);
}

interface HelpLine extends TerminalStreams, Pick<ProgramOptions, "commands" | "version"> {
  readonly argv: readonly string[];
  readonly stdout: TerminalStreams["stdout"] & { write(text: string): boolean };
}

const CALLS = new Set(["-h", "--help", "help"]);

/** Tells a call for the help by its first word, and whether `--all` asks for the whole list; without that word. */
export function readHelpCall(argv: readonly string[]): HelpCall {
  const isCall = CALLS.has(argv[0] ?? "");
  const hasAll = isCall && argv.includes("--all");
  return { argv: hasAll ? argv.filter((word) => word !== "--all") : argv, isCall, hasAll };
}

interface HelpCall {
  readonly argv: readonly string[];
  readonly isCall: boolean;
  readonly hasAll: boolean;
}

/** Whether only the list of commands, the version or the help of a command is asked for, in words for people; `about` is that command. */
export function asksForHelp(given: readonly string[], commands: readonly ListedCommand[]): HelpAsked | undefined {
  const { argv, isCall } = readHelpCall(given);
  if (argv.length === 0 || (argv.length === 1 && (isCall || argv[0] === "-V" || argv[0] === "--version"))) return {};
  const last = argv.at(-1);
  const hasFlag = last === "-h" || last === "--help";
  const words = (hasFlag ? argv.slice(0, -1) : argv[0] === "help" ? argv.slice(1) : []).join(" ");
  const about = commands.find(({ name }) => name === words)?.name;
  return about === undefined ? undefined : { about };
}

interface HelpAsked {
  readonly about?: string;
}

/** Shows it. Nothing that commands are made of is loaded for it, so that it is there at once; `words` are those of the command that it is about. */
export function showHelp(
  line: HelpLine,
  { about, words }: HelpAsked & { readonly words?: ParserWords | undefined } = {},
): void {
  const { stdout } = line;
  const { argv, isCall, hasAll } = readHelpCall(line.argv);
  const terminal = describeTerminal(line);
  if (argv.length === 0) {
    stdout.write(firstLines(terminal));
    return;
  }
  const output = { writeOut: (text: string) => void stdout.write(text) };
  const complete = (parser: Parser): void => words && addWords(parser, words, () => {});
  const typed = about === undefined ? undefined : { name: about, complete };
  const program = createProgram({ ...line, terminal, typed, hasAll: hasAll || !isCall, output });
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
}
