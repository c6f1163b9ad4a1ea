/**
 * Programs that start another one, which their arguments name, and how many operands stand before it. Where that depends,
 * any argument may be the program.
 */
export const WRAPPERS: ReadonlyMap<string, number> = new Map([
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
  const before = WRAPPERS.get(program);
  return before === undefined ? [] : afterOperands(words, start + 1, before);
}

/** An option may or may not take the next word, so both are candidates. */
function afterOperands(words: readonly string[], from: number, before: number): readonly number[] {
  const starts: number[] = [];
  let operands = 0;
  for (let index = from; index < words.length && operands <= before; index += 1) {
    const word = words[index] as string;
    if (word.startsWith("-")) continue;
    starts.push(index);
    const isOperand = index === from || !words[index - 1]?.startsWith("-");
    if (isOperand && !word.includes("=")) operands += 1;
  }
  return starts;
}

function named(operands: number, names: string): readonly (readonly [string, number])[] {
  return names.split(" ").map((name) => [name, operands]);
}
