import { projectFolderName } from "../../core/internal.ts";
import { bounded } from "./substitution.ts";

/** What differs between two runs of the same thing. */
export type VolatileKind = "cwd" | "cwd-name" | "tmp" | "home" | "address" | "uuid" | "hash" | "date" | "duration";

export interface VolatileValue {
  readonly kind: VolatileKind;
  readonly value: string;
}

/** Puts a mark in place of every volatile part of a text. */
export type NormaliseText = (text: string, source: "said" | "tool") => string;

type Patterns = readonly (readonly [kind: VolatileKind, source: string])[];

const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*day)?,? +";
const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AP]M\b)?`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)`;

const ALWAYS: Patterns = [
  ["tmp", String.raw`(?<![\w.\-])(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/[^\s"'\`<>|:;,()[\]{}*\\]+`],
  ["home", String.raw`(?<![\w.\-])(?:\/root|\/home\/[\w.\-]+|\/Users\/[\w.\-]+)(?![\w\-])`],
  ["address", String.raw`(?:localhost|127\.0\.0\.1|\[::1\]):\d{2,5}\b`],
  ["uuid", String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`],
  ["date", String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${TIME}${ZONE}?)?(?!\w)`],
  [
    "date",
    String.raw`\b(?:${WEEKDAY})?(?:${MONTH} +\d{1,2}\b(?:,? +\d{4}\b)?|\d{1,2} +${MONTH},? +\d{4}\b)(?: +${TIME}${ZONE}?)?(?: +\d{4}\b${ZONE}?)?`,
  ],
  ["date", String.raw`(?<![\w:.])${TIME}(?![\w:])`],
  /** Commits, digests and agents' ids: a word of hexadecimal digits that is neither a number nor a word. */
  ["hash", String.raw`\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,64}\b`],
];

/** Tools measure time and print it; a prompt that says "5 seconds" means it. */
const OF_TOOLS: Patterns = [
  ["date", String.raw`\b1[6-9]\d{8}(?:\d{3})?\b`],
  ["duration", String.raw`(?<![\w.])(?:\d+m)?\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b`],
  ["duration", String.raw`(?<=duration_ms\W{1,3})\d+(?:\.\d+)?`],
];

/** Prepares for the texts of one request, told its working directory; what is taken out is added to `found`, in order. */
export function createTextNormaliser(cwd: string | undefined, found: VolatileValue[]): NormaliseText {
  const said = [...workingDirectoryPatterns(cwd), ...ALWAYS];
  const matchers = { said: matcherOf(said), tool: matcherOf([...said, ...OF_TOOLS]) };
  return (text, source) => {
    const { pattern, kinds } = matchers[source];
    return text.replace(pattern, (value: string, ...groups: unknown[]) => {
      const kind = kinds[groups.findIndex((group) => group !== undefined)]!;
      found.push({ kind, value });
      return `{{${kind}}}`;
    });
  };
}

function matcherOf(patterns: Patterns): { readonly pattern: RegExp; readonly kinds: readonly VolatileKind[] } {
  const sources = patterns.map(([, source]) => `(${source})`);
  return { pattern: new RegExp(sources.join("|"), "g"), kinds: patterns.map(([kind]) => kind) };
}

function workingDirectoryPatterns(cwd: string | undefined): Patterns {
  if (cwd === undefined || cwd === "/") return [];
  const folder = String.raw`(?<=\/)${bounded(projectFolderName(cwd), "exact")}(?![\w\-])`;
  return [
    ["cwd", bounded(cwd, "path")],
    ["cwd-name", folder],
  ];
}
