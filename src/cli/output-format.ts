/** How a command speaks: for people, as one envelope, or as a line for each event with the envelope last. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

/** How a command speaks. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

const FLAG = "--output-format";

/**
 * Finds the output format before anything is parsed, so that a command line that cannot be parsed is answered in
 * the format that it asked for. The last one given counts, as it does for the parser.
 */
export function findOutputFormat(argv: readonly string[]): OutputFormat {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word === FLAG) return [words[index + 1]];
    return word.startsWith(`${FLAG}=`) ? [word.slice(FLAG.length + 1)] : [];
  });
  return OUTPUT_FORMATS.find((format) => format === given.at(-1)) ?? "text";
}
