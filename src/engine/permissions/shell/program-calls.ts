import { normalize } from "node:path/posix";
import { SHELLS, firstPrograms, innerScripts, wrappedPrograms } from "./inner-scripts.ts";
import { readShell } from "./read-shell.ts";
import type { ShellCommand } from "./shell-script.ts";

/** A program and its arguments, as they would be started. */
export interface ProgramCall {
  /** The program without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  /** The program and its arguments up to the first that only the shell knows; all of them where there is none. */
  readonly fixed: readonly string[];
  /** Whether there may be more arguments than the fixed ones. */
  readonly isOpen: boolean;
  readonly command: ShellCommand;
}

/**
 * Lists what a command line may start, behind `sudo`, `env`, `xargs`, `find -exec`, `eval` and `bash -c` too; rather more than less.
 * Where it is opaque, which programs run cannot be known from the text alone: `$X`, `eval "$Y"`, a quote that never ends.
 */
export function listProgramCalls(source: string): Pick<Walk, "calls" | "isOpaque"> {
  const walk: Walk = {
    calls: [],
    isOpaque: CONTROL.test(source),
    hidesCode: false,
    evaluates: false,
    scriptsLeft: MAX_SCRIPTS,
    filesRun: [],
    filesWritten: [],
  };
  walkScript(source, walk);
  const runsWhatItWrites = walk.filesRun.some((file) => walk.filesWritten.includes(file));
  const isOpaque = walk.isOpaque || (walk.evaluates && walk.hidesCode) || runsWhatItWrites;
  return { calls: walk.calls, isOpaque };
}

interface Walk {
  readonly calls: ProgramCall[];
  isOpaque: boolean;
  hidesCode: boolean;
  evaluates: boolean;
  /** A line can hold scripts in scripts without end. */
  scriptsLeft: number;
  readonly filesRun: string[];
  readonly filesWritten: string[];
}

const MAX_SCRIPTS = 500;
/** The shell uses some of these for itself; a carriage return is only a letter to it. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Variables whose value the shell runs, or reads as a function. */
const RUN_VARIABLES = /^(?:PS\d|PROMPT_COMMAND|BASH_ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)(?:\+?=|$)/;

function walkScript(source: string, walk: Walk): void {
  walk.scriptsLeft -= 1;
  if (walk.scriptsLeft < 0) {
    walk.isOpaque = true;
    return;
  }
  const script = readShell(source);
  walk.isOpaque ||= script.isBroken;
  walk.hidesCode ||= script.hidesCode;
  walk.evaluates ||= script.evaluates;
  for (const [index, command] of script.commands.entries()) {
    walkCommand(command, command.isPiped ? script.commands[index - 1] : undefined, walk);
  }
}

function walkCommand(command: ShellCommand, source: ShellCommand | undefined, walk: Walk): void {
  const { words, dynamic } = expandBraces(command);
  walk.filesWritten.push(...command.outputs.map((file) => normalize(file)));
  if (words.some((word) => RUN_VARIABLES.test(word))) walk.isOpaque = true;
  const starts = [...firstPrograms(words)];
  const seen = new Set<number>();
  let isFed = false;
  for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
    const word = words[start];
    if (word === undefined || seen.has(start)) continue;
    seen.add(start);
    if (dynamic[start] || word === "{}") walk.isOpaque = true;
    const program = word.slice(word.lastIndexOf("/") + 1);
    const args = words.slice(start + 1);
    const argsDynamic = dynamic.slice(start + 1);
    const firstDynamic = argsDynamic.indexOf(true);
    const fixed = [program, ...(firstDynamic === -1 ? args : args.slice(0, firstDynamic))];
    walk.calls.push({ program, args, fixed, isOpen: isFed || firstDynamic !== -1, command });
    // What it reads becomes arguments of what it starts.
    isFed ||= program === "xargs";
    walk.evaluates ||= evaluatesArguments(program, args, argsDynamic);
    noteFiles(walk, word, program, args);
    starts.push(...wrappedPrograms(program, words, start));
    const scripts = innerScripts({ program, args, dynamic: argsDynamic, command, source });
    walk.isOpaque ||= scripts.isOpaque;
    for (const text of scripts.texts) walkScript(text, walk);
  }
}

/** A script that the line itself writes is one that nobody has read. */
function noteFiles(walk: Walk, word: string, program: string, args: readonly string[]): void {
  if (word.includes("/")) walk.filesRun.push(normalize(word));
  if (SHELLS.has(program) || ["source", "."].includes(program)) {
    walk.filesRun.push(...args.map((file) => normalize(file)));
  }
  if (program === "tee") walk.filesWritten.push(...args.map((file) => normalize(file)));
}

/** `{rm,-rf,/}` is three words; what is nested or mixed with other text stays as it is. */
function expandBraces({ words, written, dynamic }: ShellCommand): Pick<ShellCommand, "words" | "dynamic"> {
  const parts = words.map((word, index) => {
    const list = /^\{(?<list>[^{}'"\\$`]*,[^{}'"\\$`]*)\}$/.exec(written[index] ?? "")?.groups?.["list"];
    return list === undefined
      ? [{ word, isDynamic: dynamic[index] ?? false }]
      : list.split(",").map((item) => ({ word: item, isDynamic: true }));
  });
  return { words: parts.flat().map(({ word }) => word), dynamic: parts.flat().map(({ isDynamic }) => isDynamic) };
}

/** Commands of the shell that always read an argument once more, as a sum or as the name of a variable with a subscript. */
const EVALUATING = new Set("let read mapfile readarray getopts unset".split(" "));

const DECLARING = new Set("declare typeset local export readonly".split(" "));

/** Those that do so where one of their arguments looks like this. */
const EVALUATING_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ...[...DECLARING].map((name) => [name, /^[^=]*\[|^[-+]\w*[in]/] as const),
  ["printf", /^-v/],
  ["wait", /^-\w*p/],
  ...["test", "[", "[["].map((name) => [name, /^-(?:v|R|eq|ne|lt|le|gt|ge)$/] as const),
]);

function evaluatesArguments(program: string, args: readonly string[], dynamic: readonly boolean[]): boolean {
  if (EVALUATING.has(program)) return true;
  const isUnnamed = args.some((arg, index) => dynamic[index] === true && !/^(?:-|\w+\+?=)/.test(arg));
  const option = EVALUATING_OPTIONS.get(program);
  return (DECLARING.has(program) && isUnnamed) || args.some((arg) => option?.test(arg));
}
