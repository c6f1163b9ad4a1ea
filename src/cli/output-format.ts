import { findFlag } from "./find-flag.ts";

/** How a command speaks: for people, as one envelope, or as a line for each event with the envelope last. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

/** How a command speaks. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The format that was asked for, found before anything is parsed. */
export function findOutputFormat(argv: readonly string[]): OutputFormat {
  const given = findFlag(argv, "--output-format");
  return OUTPUT_FORMATS.find((format) => format === given) ?? "text";
}
