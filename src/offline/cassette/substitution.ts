/** A text that stands for another: `from` becomes `to`. */
export interface Substitution {
  readonly from: string;
  readonly to: string;
  /** A path or an id is replaced where it stands whole only; an exact text wherever it occurs. */
  readonly kind: "path" | "id" | "exact";
}

/**
 * Substitutes in a text that comes in pieces, as a streamed answer does. What is found may run over several pieces:
 * what replaces it goes to the piece where it began.
 */
export function substitute(pieces: readonly string[], substitutions: readonly Substitution[]): readonly string[] {
  const whole = pieces.join("");
  const present = substitutions.filter(({ from }) => from !== "" && whole.includes(from));
  if (present.length === 0) return pieces;
  const replaced = pieces.map(() => "");
  const starts = startsOf(pieces);
  const copy = (from: number, to: number): void => {
    for (const [index, start] of starts.entries()) {
      const end = start + (pieces[index]?.length ?? 0);
      if (start < to && from < end) replaced[index] += whole.slice(Math.max(start, from), Math.min(end, to));
    }
  };
  const targets = new Map(present.map(({ from, to }) => [from, to]));
  let done = 0;
  for (const match of whole.matchAll(patternOf(present))) {
    copy(done, match.index);
    replaced[starts.findLastIndex((start) => start <= match.index)] += targets.get(match[0]) ?? match[0];
    done = match.index + match[0].length;
  }
  copy(done, whole.length);
  return replaced;
}

/** The same substitutions for text inside a JSON string. */
export function escapeForJson(substitutions: readonly Substitution[]): readonly Substitution[] {
  const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
  return substitutions.map(({ from, to, kind }) => ({ from: escape(from), to: escape(to), kind }));
}

function startsOf(pieces: readonly string[]): readonly number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const piece of pieces) {
    starts.push(offset);
    offset += piece.length;
  }
  return starts;
}

function patternOf(substitutions: readonly Substitution[]): RegExp {
  const longestFirst = substitutions.toSorted((left, right) => right.from.length - left.from.length);
  return new RegExp(longestFirst.map(({ from, kind }) => bounded(from, kind)).join("|"), "g");
}

/** A pattern for a literal text where it stands whole. The `n` of an escaped line feed is not a letter before it. */
export function bounded(text: string, kind: Substitution["kind"]): string {
  const literal = text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
  if (kind === "exact") return literal;
  const afterEscape = String.raw`(?<=\\[nrt])`;
  return kind === "path"
    ? String.raw`(?:(?<![\w.\-])|${afterEscape})${literal}(?![\w\-]|\.\w)`
    : String.raw`(?:(?<!\w)|${afterEscape})${literal}(?!\w)`;
}
