import { findFlag } from "./find-flag.ts";

/** The shapes of the envelope: 2 has `data` or `error`; 1 has the fields of `data` beside the common ones, for old consumers. */
export const ENVELOPE_VERSIONS = ["1", "2"] as const;

/** A shape of the envelope. */
export type EnvelopeVersion = (typeof ENVELOPE_VERSIONS)[number];

/** The one that was asked for, found before anything is parsed. */
export function findEnvelopeVersion(argv: readonly string[]): EnvelopeVersion {
  const given = findFlag(argv, "--envelope-version");
  return ENVELOPE_VERSIONS.find((version) => version === given) ?? "2";
}
