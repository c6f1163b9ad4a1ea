/** A piece of a line: HTML that is done, or marks that may begin or end an emphasis. */
export interface Piece {
  html: string;
  delimiter?: Delimiter;
}

/** A row of stars, underscores or tildes. */
export interface Delimiter {
  readonly mark: string;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** How many were there, and how many have no partner yet. */
  readonly length: number;
  left: number;
}

/** So many rows of marks in one paragraph are no emphasis. */
const MOST_DELIMITERS = 1000;

/** Pairs the marks of some pieces as CommonMark does, and puts the tags where they belong. What has no partner stays as it was written. */
export function pairDelimiters(pieces: readonly Piece[]): void {
  const marks = pieces.filter((piece): piece is Marked => piece.delimiter !== undefined);
  const openers: Marked[] = [];
  const tags = new Map<Piece, { before: string; after: string }>();
  const tagsOf = (piece: Piece): { before: string; after: string } => {
    const own = tags.get(piece) ?? { before: "", after: "" };
    tags.set(piece, own);
    return own;
  };
  for (const closer of marks.length > MOST_DELIMITERS ? [] : marks) {
    while (closer.delimiter.canClose && closer.delimiter.left > 0) {
      const at = openers.findLastIndex((opener) => fits(opener.delimiter, closer.delimiter));
      const opener = openers[at];
      if (opener === undefined) break;
      const [tag, count] = tagFor(opener.delimiter, closer.delimiter);
      tagsOf(opener).after = `<${tag}>${tagsOf(opener).after}`;
      tagsOf(closer).before += `</${tag}>`;
      opener.delimiter.left -= count;
      closer.delimiter.left -= count;
      // What was opened inside has to be closed inside.
      openers.length = opener.delimiter.left > 0 ? at + 1 : at;
    }
    if (closer.delimiter.canOpen && closer.delimiter.left > 0) openers.push(closer);
  }
  for (const piece of marks) {
    const { before, after } = tagsOf(piece);
    piece.html = `${before}${piece.delimiter.mark.repeat(piece.delimiter.left)}${after}`;
    delete (piece as Piece).delimiter;
  }
}

type Marked = Piece & { readonly delimiter: Delimiter };

function fits(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.mark !== closer.mark) return false;
  if (opener.mark === "~") return opener.left === closer.left;
  const isBoth = opener.canClose || closer.canOpen;
  return !isBoth || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function tagFor(opener: Delimiter, closer: Delimiter): readonly [string, number] {
  if (opener.mark === "~") return ["del", opener.left];
  return opener.left > 1 && closer.left > 1 ? ["strong", 2] : ["em", 1];
}
