import { readShell } from "./read-shell.ts";
import type { ShellCommand } from "./shell-script.ts";

/** A program and its arguments, as they would be started. */
export interface ProgramCall {
  /** The program without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where it stands in the command line. */
  readonly command: ShellCommand;
}

/** All programs that a command line may start. */
export interface ProgramCalls {
  readonly calls: readonly ProgramCall[];
  /** Which programs run cannot be known from the text alone: `$X`, `eval "$Y"`, a quote that never ends. */
  readonly isOpaque: boolean;
}

/** Lists what a command line may start, behind `sudo`, `env`, `xargs`, `find -exec`, `eval` and `bash -c` too; rather more than less. */
export function listProgramCalls(source: string, depth = 0): ProgramCalls {
  if (depth > MAX_DEPTH) return { calls: [], isOpaque: true };
  const script = readShell(source);
  const calls: ProgramCall[] = [];
  let isOpaque = script.isBroken;
  for (const command of script.commands) {
    const unwrapped = unwrap(command, depth);
    calls.push(...unwrapped.calls);
    isOpaque ||= unwrapped.isOpaque;
  }
  return { calls, isOpaque };
}

/** Programs that read a script from an argument or from their input. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish"]);

const MAX_DEPTH = 8;
const WRAPPERS = new Set(
  "sudo doas pkexec env command builtin exec nohup nice ionice time timeout stdbuf setsid xargs parallel watch chroot unshare".split(
    " ",
  ),
);
const KEYWORDS = new Set("! { if then elif else while until do".split(" "));
const ASSIGNMENT = /^\w+\+?=/;
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

function unwrap(command: ShellCommand, depth: number): ProgramCalls {
  const calls: ProgramCall[] = [];
  let isOpaque = false;
  const starts = [firstProgram(command.words, 0)];
  const seen = new Set<number>();
  for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
    const word = command.words[start];
    if (word === undefined || seen.has(start)) continue;
    seen.add(start);
    if (command.dynamic[start]) isOpaque = true;
    const program = word.slice(word.lastIndexOf("/") + 1);
    const args = command.words.slice(start + 1);
    calls.push({ program, args, command });
    if (WRAPPERS.has(program)) starts.push(...wrappedStarts(command.words, start + 1));
    if (program === "find") starts.push(...args.flatMap((arg, at) => (FIND_RUNS.has(arg) ? [start + at + 2] : [])));
    for (const { text, isKnown } of scriptsOf(program, command, start)) {
      const inner = isKnown ? listProgramCalls(text, depth + 1) : { calls: [], isOpaque: true };
      calls.push(...inner.calls);
      isOpaque ||= inner.isOpaque;
    }
  }
  return { calls, isOpaque };
}

/** The first word that names a program: keywords and assignments come before it. */
function firstProgram(words: readonly string[], from: number): number {
  let index = from;
  while (KEYWORDS.has(words[index] ?? "") || ASSIGNMENT.test(words[index] ?? "")) index += 1;
  return index;
}

/** Where a wrapped program can begin. An option may or may not take the next word, so both are candidates. */
function wrappedStarts(words: readonly string[], from: number): readonly number[] {
  const starts: number[] = [];
  for (let index = from; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word.startsWith("-") || ASSIGNMENT.test(word) || /^\d[\d.]*[smhd]?$/.test(word)) continue;
    starts.push(index);
    if (index === from || !words[index - 1]?.startsWith("-")) break;
  }
  return starts;
}

interface InnerScript {
  readonly text: string;
  readonly isKnown: boolean;
}

function scriptsOf(program: string, { words, dynamic, inputs }: ShellCommand, start: number): readonly InnerScript[] {
  if (program === "eval") {
    return [{ text: words.slice(start + 1).join(" "), isKnown: !dynamic.slice(start + 1).includes(true) }];
  }
  if (!SHELLS.has(program)) return [];
  const flag = words.findIndex((word, index) => index > start && /^-[a-z]*c$/.test(word));
  const script = flag === -1 ? undefined : words[flag + 1];
  const fromArgument = script === undefined ? [] : [{ text: script, isKnown: !dynamic[flag + 1] }];
  return [...fromArgument, ...inputs.map((text) => ({ text, isKnown: true }))];
}
