/**
 * Finds a flag's value before anything is parsed, so that a command line that cannot be parsed is answered in the way that
 * it asked for. The last one given counts, as it does for the parser.
 */
export function findFlag(argv: readonly string[], flag: string): string | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word === flag) return [words[index + 1]];
    return word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [];
  });
  return given.at(-1);
}
