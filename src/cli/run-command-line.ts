import type { Readable, Writable } from "node:stream";
import { SkeinError, toSkeinError } from "../core/internal.ts";
import { configureCall } from "./configure-call.ts";
import { forPrograms, type CommandContext } from "./define-command.ts";
import {
  completeCall,
  speakError,
  speakEvent,
  type ExitCode,
  parseArgs,
  ENVELOPE_VERSIONS,
  OUTPUT_FORMATS,
  type OutputFormat,
} from "../protocol/index.ts";
import { createOutput, type Output } from "./output.ts";
import { parseCommandLine, type CommandLineWords, type Typed } from "./parse-command-line.ts";
import { describeTerminal } from "../terminal/index.ts";

export interface CommandLine extends Omit<CommandLineWords, "terminal"> {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where signals and uncaught errors are heard of, and how everything is ended at once. */
  readonly process: NodeJS.EventEmitter & { exit(code: ExitCode): void };
}

export async function runCommandLine(line: CommandLine): Promise<ExitCode> {
  const format = findOutputFormat(line.argv);
  const terminal = describeTerminal(line);
  let name = "skein";
  // Pipes and terminals take what is written to them at once, so the envelope is out before the process ends.
  const endNow = (error: SkeinError, exitCode: ExitCode): void => {
    void output.fail(name, error, exitCode);
    line.process.exit(exitCode);
  };
  using interrupt = listenForInterrupts(
    () => endNow(new SkeinError("Interrupted twice: everything was stopped at once", { kind: "cancelled" }), 130),
    line.process,
  );
  const spoken = { format, version: findChoice(line.argv, "--envelope-version", ENVELOPE_VERSIONS) ?? "2" } as const;
  const output = createOutput(spoken, {
    stdout: line.stdout,
    stderr: line.stderr,
    terminal,
    onBroken: () => interrupt.signal.aborted || interrupt.interrupt(),
  });
  line.process.once("uncaughtException", (error: unknown) => endNow(toSkeinError(error), 1));

  const typed = await parseCommandLine({ ...line, terminal });
  name = typed.name;
  return await execute(typed, output, {
    format,
    terminal,
    stdin: line.stdin,
    env: line.env,
    commands: { list: line.commands, load: async (wanted) => forPrograms(await line.load(wanted)) },
    configure: configureCall,
    signal: interrupt.signal,
    print: output.print,
    emit: output.emit,
    notice: output.notice,
  });
}

async function execute(typed: Typed, output: Output, context: CommandContext): Promise<ExitCode> {
  if (typed.type === "help") return await output.succeed(typed.name, typed);
  if (typed.type === "error") return await output.fail(typed.name, typed.error);
  const { command, given } = typed;
  const { format } = context;
  const speakInFlags = speakEvent(command, "flags");
  const emit: CommandContext["emit"] = (event) => context.emit(speakInFlags(event));
  const hasEvents = format === "stream-json" || (format === "json" && command.streaming === "always");
  try {
    context.signal.throwIfAborted();
    const { args, ...configured } = await completeCall(command, parseArgs(command, given), context);
    const data = await command.run(args, { ...context, ...configured, emit: hasEvents ? emit : noEvents });
    const text = format === "text" ? (command.format?.(data, context) ?? "") : "";
    return await output.succeed(command.name, { data, text });
  } catch (error) {
    return await output.fail(command.name, speakError(command, "flags", toSkeinError(error)));
  }
}

async function noEvents(): Promise<void> {}

/** `--json` and `-j`, alone or among other letters, are short for `--output-format json`. */
export function findOutputFormat(argv: readonly string[]): OutputFormat {
  const words = argv.map((word) => (word === "--json" || /^-[cj]*j[cj]*$/u.test(word) ? "--output-format=json" : word));
  return findChoice(words, "--output-format", OUTPUT_FORMATS) ?? "text";
}

/**
 * Finds a flag's value before anything is parsed, so that a command line that cannot be parsed is answered in the way that
 * it asked for. The last one given counts, as it does for the parser.
 */
function findChoice<Choice extends string>(
  argv: readonly string[],
  flag: string,
  choices: readonly Choice[],
): Choice | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word === flag) return [words[index + 1]];
    return word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [];
  });
  return choices.find((choice) => choice === given.at(-1));
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for Ctrl-C and its kin. The first aborts the signal; the second calls `kill`. */
function listenForInterrupts(
  kill: () => void,
  source: NodeJS.EventEmitter,
): Disposable & { readonly signal: AbortSignal; interrupt(): void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) kill();
    else controller.abort(new SkeinError("Interrupted", { kind: "cancelled" }));
  };
  for (const name of SIGNALS) source.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) source.off(name, interrupt);
    },
  };
}
