import type { EnvVariables } from "../processes/env-variables.ts";
import { API_CREDENTIALS, ClaudeConfigError, type SecretPattern } from "../../core/internal.ts";

/** A pattern made ready for finding its secrets in a text, and the beginning of one at the text's end. */
export interface SecretFinder {
  readonly name: string;
  readonly whole: RegExp;
  readonly partial: RegExp;
}

/** A secret in a text; where several overlap, all of them, under the name of the first. */
export interface FoundSecret {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export function toSecretFinder({ name, pattern }: SecretPattern): SecretFinder {
  const flags = `${pattern.flags.replaceAll(/[gy]/g, "")}g`;
  return { name, whole: new RegExp(pattern.source, flags), partial: partialPattern(pattern) };
}

/** The secrets in a text from an offset on, in order, none overlapping another. */
export function findSecrets(text: string, finders: readonly SecretFinder[], from = 0): readonly FoundSecret[] {
  const found = finders
    .flatMap((finder) => matchesFrom(text, finder, from))
    .toSorted((left, right) => left.start - right.start || right.end - left.end);
  const merged: FoundSecret[] = [];
  for (const secret of found) {
    const last = merged.at(-1);
    if (!last || secret.start >= last.end) merged.push(secret);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return merged;
}

/** Where the first secret begins that the end of the text may have cut; the text's length where there is none. */
export function findCut(text: string, finders: readonly SecretFinder[], from = 0): number {
  return Math.min(
    ...finders.map(({ partial }) => {
      partial.lastIndex = from;
      return partial.exec(text)?.index ?? text.length;
    }),
    text.length,
  );
}

/** The text between two offsets, with a mark in the place of each secret. */
export function replaceSecrets(
  text: string,
  secrets: readonly FoundSecret[],
  [from, to]: readonly [from: number, to: number] = [0, text.length],
): string {
  let [replaced, position] = ["", from];
  for (const { name, start, end } of secrets) {
    if (end > to) break;
    replaced += `${text.slice(position, start)}[redacted ${name}]`;
    position = end;
  }
  return replaced + text.slice(position, to);
}

function matchesFrom(text: string, { name, whole }: SecretFinder, from: number): readonly FoundSecret[] {
  whole.lastIndex = from;
  const found = [...text.matchAll(whole)].filter(([match]) => match.length > 0);
  return found.map(({ index, 0: match }) => ({ name, start: index, end: index + match.length }));
}

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
  const read = ATOMS[reader.source[reader.index] ?? ""];
  return read ? read(reader) : take(reader, reader.isUnicode ? /[^]/uy : /[^]/y);
}

const ATOMS: Readonly<Record<string, (reader: Reader) => string>> = {
  "(": readGroup,
  "[": readClass,
  "\\": readEscape,
};

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

/** Shorter values are dummies, switches and words, which a text may hold by chance. */
const MIN_LENGTH = 8;

/** The values of the named variables, and of those for the CLI's credentials, as patterns that match them exactly. */
export function secretsOfVariables(env: EnvVariables, names: readonly string[] = []): readonly SecretPattern[] {
  return [...new Set([...API_CREDENTIALS, ...names])].flatMap((name) => {
    const value = env[name]?.trim() ?? "";
    if (value.length < MIN_LENGTH) return [];
    // Inside JSON a value with quotes or line ends is written otherwise.
    const forms = new Set([value, JSON.stringify(value).slice(1, -1)]);
    return [...forms].map((form) => ({ name, pattern: new RegExp(form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")) }));
  });
}
