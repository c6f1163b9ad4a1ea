import { ClaudeConfigError } from "../../core/index.ts";

/** Nothing follows. Unlike `$` it is not moved by the flag `m`. */
const END = "(?![\\s\\S])";

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const ESCAPE = /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/uy;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]+:))?/y;

/**
 * The pattern that finds where a text may end in the middle of a match: it matches from there to the text's end. Every
 * part of the expression may give way to the end of the text, so what matches is a match that is whole or begun.
 */
export function partialPattern(pattern: RegExp): RegExp {
  const { source, flags } = pattern;
  const reader = { source, index: 0, hasSets: flags.includes("v"), isUnicode: /[uv]/.test(flags) };
  return new RegExp(`(?:${readAlternatives(reader)})${END}`, `${flags.replaceAll(/[gyd]/g, "")}g`);
}

interface Reader {
  readonly source: string;
  index: number;
  /** Classes may stand in classes. */
  readonly hasSets: boolean;
  /** A character may be two code units. */
  readonly isUnicode: boolean;
}

/** Up to the end of the group, or of the source. */
function readAlternatives(reader: Reader): string {
  let partial = "";
  while (reader.index < reader.source.length && reader.source[reader.index] !== ")") {
    if (reader.source[reader.index] === "|") {
      partial += "|";
      reader.index += 1;
      continue;
    }
    const atom = readAtom(reader);
    const quantifier = take(reader, QUANTIFIER);
    if (atom !== "") partial += `(?:${atom}|${END})${quantifier}`;
  }
  return partial;
}

function readAtom(reader: Reader): string {
  switch (reader.source[reader.index]) {
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      return readEscape(reader);
    default: {
      const isPair = reader.isUnicode && (reader.source.codePointAt(reader.index) ?? 0) > 0xffff;
      const character = reader.source.slice(reader.index, reader.index + (isPair ? 2 : 1));
      reader.index += character.length;
      return character;
    }
  }
}

function readGroup(reader: Reader): string {
  const opening = take(reader, GROUP);
  const start = reader.index;
  const inner = readAlternatives(reader);
  const whole = reader.source.slice(start, reader.index);
  reader.index += 1;
  // What has to follow is not there yet; what came before is.
  if (opening === "(?=" || opening === "(?!") return "";
  if (opening === "(?<=" || opening === "(?<!") return `${opening}${whole})`;
  const isPlain = opening === "(" || opening.startsWith("(?<");
  return `${isPlain ? "(?:" : opening}${inner})`;
}

function readClass(reader: Reader): string {
  const start = reader.index;
  let depth = 0;
  do {
    const character = reader.source[reader.index];
    if (character === "\\") reader.index += 1;
    if (character === "[" && (depth === 0 || reader.hasSets)) depth += 1;
    if (character === "]") depth -= 1;
    reader.index += 1;
  } while (depth > 0 && reader.index < reader.source.length);
  return reader.source.slice(start, reader.index);
}

function readEscape(reader: Reader): string {
  const escape = take(reader, ESCAPE);
  if (!/^\\(?:[1-9]|k)/.test(escape)) return escape;
  throw new ClaudeConfigError(`The pattern ${reader.source} refers back to a group`, {
    option: "patterns",
    hint: "Write it without one: half of such a match cannot be told from other text.",
  });
}

function take(reader: Reader, token: RegExp): string {
  token.lastIndex = reader.index;
  const taken = token.exec(reader.source)?.[0] ?? "";
  reader.index += taken.length;
  return taken;
}
