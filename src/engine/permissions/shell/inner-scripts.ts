import type { ShellCommand } from "./shell-script.ts";

interface PlacedProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Which arguments only the shell knows. */
  readonly dynamic: readonly boolean[];
  readonly command: ShellCommand;
  /** The command that writes what this one reads. */
  readonly source: ShellCommand | undefined;
}

interface InnerScripts {
  readonly texts: readonly string[];
  /** There may be others, or these may not be all that is in them. */
  readonly isOpaque: boolean;
}

/** Finds the scripts that a program is given to run, in its arguments and its input: rather more than less. */
export function innerScripts(placed: PlacedProgram): InnerScripts {
  const { program, args, dynamic } = placed;
  if (SHELLS.has(program)) return shellScripts(placed);
  if (ALWAYS_OPAQUE.has(program)) return { texts: args, isOpaque: true };
  const isOpaque = args.some((arg) => OPAQUE_OPTIONS.get(program)?.test(arg));
  switch (program) {
    case "eval":
    case "watch":
      return { texts: [withoutDashes(args).join(" ")], isOpaque: dynamic.includes(true) };
    case "trap":
      return { texts: args, isOpaque: dynamic.includes(true) };
    case "source":
    case ".":
      return sourced(placed);
    case "alias":
      return { texts: args.map((arg) => arg.slice(arg.indexOf("=") + 1)), isOpaque };
    case "env":
      return { texts: isOpaque ? args.map((arg) => arg.replace(/^-\w*S|^--s[a-z-]*=/, "")) : [], isOpaque };
    case "xargs":
      return { texts: [], isOpaque: isOpaque || startsFromInput(args) };
    default:
      // Such as `su -c 'rm x'`.
      return { texts: WRAPPERS.get(program) === Infinity ? args.filter((arg) => /\s/.test(arg)) : [], isOpaque };
  }
}

const ALWAYS_OPAQUE = new Set("parallel compgen complete bind enable fc".split(" "));
const OPAQUE_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["alias", /=/],
  ["env", /^-\w*S|^--s/],
  ["hash", /^-\w*p/],
  ["jobs", /^-\w*x/],
  ["mapfile", /^-\w*C/],
  ["readarray", /^-\w*C/],
  ["sudo", /^-\w*[sie]|^--(?:s|l|e)/],
  ["find", /^\{\}$/],
]);

function withoutDashes(args: readonly string[]): readonly string[] {
  return args[0] === "--" ? args.slice(1) : args;
}

/** A shell's script is its argument after `-c`, a file, or what it reads. */
function shellScripts({ args, dynamic, command, source }: PlacedProgram): InnerScripts {
  const first = args.findIndex((arg) => !/^[-+]/.test(arg));
  const options = first === -1 ? args : args.slice(0, first);
  const isOpaque = dynamic.slice(0, first === -1 ? undefined : first + 1).includes(true);
  // Options may follow the one for the script, and take a word of their own: `bash -c -o posix 'rm x'`.
  if (args.some((arg) => /^[-+][A-Za-z]*c/.test(arg))) {
    const script = args.findIndex((arg, index) => index > 0 && !/^[-+]/.test(arg));
    return { texts: args, isOpaque: dynamic.slice(0, script + 1).includes(true) };
  }
  if (options.some((option) => /^-[A-Za-z]*[is]|^--(?:rcfile|init-file|login)/.test(option))) {
    return { texts: [...args, ...read(command, source)], isOpaque: true };
  }
  if (first === -1 && /^--(?:version|help)$/.test(args[0] ?? "")) return { texts: [], isOpaque };
  const file = first === -1 ? undefined : args[first];
  const readsInput = file === undefined || isDevice(file);
  const isKnown = command.inputs.length > 0 && !command.inputs.some((input) => input.isDynamic);
  return { texts: readsInput ? read(command, source) : [], isOpaque: isOpaque || (readsInput && !isKnown) };
}

function sourced({ args, dynamic, command, source }: PlacedProgram): InnerScripts {
  const file = withoutDashes(args)[0];
  const isOpaque = file === undefined || isDevice(file) || dynamic.includes(true);
  return { texts: isOpaque ? read(command, source) : [], isOpaque };
}

function isDevice(file: string): boolean {
  return /^\/*(?:dev|proc)\/|\.\.\/(?:dev|proc)\//.test(file);
}

/** What a command reads, as far as the line itself says it. */
function read({ inputs }: ShellCommand, source: ShellCommand | undefined): readonly string[] {
  const written = source && /^(?:echo|printf)$/.test(source.words[0] ?? "") ? [source.words.slice(1).join(" ")] : [];
  return [...inputs.map(({ text }) => text), ...written];
}

/** Whether what `xargs` starts comes from its input: with no program, with one in its place, or for another wrapper or a shell. */
function startsFromInput(args: readonly string[]): boolean {
  if (args.some((arg) => /^-[A-Za-z\d]*[IiJ]|^--replace/.test(arg))) return true;
  const program = args.find((arg) => !arg.startsWith("-"));
  return args.some((arg) => {
    const name = arg.slice(arg.lastIndexOf("/") + 1);
    return program === undefined || WRAPPERS.has(name) || SHELLS.has(name) || ["eval", "source", "."].includes(name);
  });
}

/**
 * Programs that start another one, which their arguments name, and how many operands stand before it. Where that depends,
 * any argument may be the program.
 */
const WRAPPERS: ReadonlyMap<string, number> = new Map([
  ...named(
    0,
    "sudo doas pkexec env command builtin exec nohup nice ionice time stdbuf setsid xargs watch unshare setarch fakeroot busybox toybox",
  ),
  ...named(1, "timeout chroot taskset chrt flock"),
  ...named(
    Infinity,
    "su runuser script strace ltrace gdb valgrind perf nsenter setpriv prlimit bwrap firejail proot systemd-run " +
      "start-stop-daemon dbus-run-session xvfb-run unbuffer rlwrap entr parallel",
  ),
]);

/** Programs that read a script from an argument or from their input. */
export const SHELLS: ReadonlySet<string> = new Set(
  "sh bash rbash zsh dash ash ksh mksh pdksh yash fish csh tcsh".split(" "),
);

const KEYWORDS = new Set("! { if then elif else while until do time coproc".split(" "));
const ASSIGNMENT = /^\w+\+?=/;
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** The words that may name a program at the start of a command: keywords and assignments come before it. */
export function firstPrograms(words: readonly string[]): readonly number[] {
  let index = 0;
  const starts: number[] = [];
  for (;;) {
    const word = words[index] ?? "";
    if (word === "function") index += 2;
    else if (KEYWORDS.has(word) || ASSIGNMENT.test(word) || (word === "-p" && words[index - 1] === "time")) index += 1;
    // `coproc NAME { …`, where the name is none of a program.
    else if (words[index - 1] === "coproc" && KEYWORDS.has(words[index + 1] ?? "")) starts.push(index++);
    else return [...starts, index];
  }
}

/** The words that may name the program that another one starts. */
export function wrappedPrograms(program: string, words: readonly string[], start: number): readonly number[] {
  if (program === "find") {
    return words.flatMap((word, index) => (index > start && FIND_RUNS.has(word) ? [index + 1] : []));
  }
  const before = WRAPPERS.get(program) ?? -1;
  const starts: number[] = [];
  let operands = 0;
  for (let index = start + 1; index < words.length && operands <= before; index += 1) {
    const word = words[index] as string;
    if (word.startsWith("-")) continue;
    // An option may or may not take the next word, so both are candidates.
    starts.push(index);
    const isOperand = index === start + 1 || !words[index - 1]?.startsWith("-");
    if (isOperand && !word.includes("=")) operands += 1;
  }
  return starts;
}

function named(operands: number, names: string): readonly (readonly [string, number])[] {
  return names.split(" ").map((name) => [name, operands]);
}
