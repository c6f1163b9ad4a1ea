import type { ListedCommand } from "../protocol/index.ts";

const WITH_VALUE = ["-C", "--cwd", "--output-format", "--envelope-version"];

const ALONE = ["-j", "--json"];

/** Moves flags that stand before the command, as git's do, behind its name: `skein -C folder log` is `skein log -C folder`. */
export function moveLeadingFlags(
  argv: readonly string[],
  commands: readonly Pick<ListedCommand, "name">[],
): readonly string[] {
  const count = countLeading(argv);
  const [leading, rest] = [argv.slice(0, count), argv.slice(count)];
  const named = commands.find(({ name }) => name === rest.slice(0, name.split(" ").length).join(" "));
  // Without a command there is nothing that they could be for; how it is answered is read from the whole line.
  if (!named) return rest;
  const words = named.name.split(" ").length;
  return [...rest.slice(0, words), ...leading, ...rest.slice(words)];
}

/** Whether these are such flags and nothing else. */
export function areLeadingFlags(argv: readonly string[]): boolean {
  return countLeading(argv) === argv.length;
}

function countLeading(argv: readonly string[]): number {
  let count = 0;
  for (;;) {
    const word = argv[count] ?? "";
    if (ALONE.includes(word) || isJoined(word)) count += 1;
    else if (WITH_VALUE.includes(word)) count += 2;
    else return Math.min(count, argv.length);
  }
}

/** A flag with its value in one word: `--cwd=folder`, `-Cfolder`. */
function isJoined(word: string): boolean {
  return WITH_VALUE.some((flag) => (flag.startsWith("--") ? word.startsWith(`${flag}=`) : /^-C./u.test(word)));
}
