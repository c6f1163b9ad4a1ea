import { ENVELOPE_VERSIONS, OUTPUT_FORMATS, type EnvelopeVersion, type OutputFormat } from "../protocol/index.ts";

/** The format that was asked for, found before anything is parsed. */
export function findOutputFormat(argv: readonly string[]): OutputFormat {
  const given = findFlag(argv, "--output-format");
  return OUTPUT_FORMATS.find((format) => format === given) ?? "text";
}

/** The shape of the envelope that was asked for, found before anything is parsed. */
export function findEnvelopeVersion(argv: readonly string[]): EnvelopeVersion {
  const given = findFlag(argv, "--envelope-version");
  return ENVELOPE_VERSIONS.find((version) => version === given) ?? "2";
}

/**
 * Finds a flag's value before anything is parsed, so that a command line that cannot be parsed is answered in the way that
 * it asked for. The last one given counts, as it does for the parser.
 */
function findFlag(argv: readonly string[], flag: string): string | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const given = words.flatMap((word, index) => {
    if (word === flag) return [words[index + 1]];
    return word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [];
  });
  return given.at(-1);
}
