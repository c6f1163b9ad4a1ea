import type { ShellCommand, ShellInput } from "./shell-script.ts";

/** A place in a command line, and what was found up to it. */
export interface Reader {
  readonly source: string;
  index: number;
  readonly commands: Draft[];
  heredocs: Heredoc[];
  /** What was found out about the line as a whole; shared with the readers of its parts. */
  readonly findings: Findings;
  /** Reads commands up to a closing parenthesis, or to the end of the text. */
  readonly readCommands: (reader: Reader, closing: ")" | undefined) => void;
}

/** What holds for a line as a whole once it was found anywhere in it. */
export interface Findings {
  isBroken: boolean;
  hidesCode: boolean;
  evaluates: boolean;
  /** How many substitutions and parentheses are open. */
  depth: number;
}

/** A command that is being read. */
export interface Draft extends ShellCommand {
  readonly written: string[];
  readonly words: string[];
  readonly dynamic: boolean[];
  readonly outputs: string[];
  readonly inputs: ShellInput[];
}

/** A here-document whose text begins on the next line. */
export interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly owner: Draft;
}

/** A word, or a part of one. */
export interface Word {
  readonly written: string;
  readonly value: string;
  readonly isDynamic: boolean;
}

/** Takes what a sticky pattern matches at the reader's place, and goes past it. */
export function take(reader: Pick<Reader, "source" | "index">, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.index;
  const found = pattern.exec(reader.source)?.[0];
  reader.index += found?.length ?? 0;
  return found;
}

const MAX_DEPTH = 100;

/** Reads something inside of something else; what is nested too deeply is not read at all. */
export function readNested(reader: Reader, read: () => void): void {
  const { findings } = reader;
  findings.depth += 1;
  if (findings.depth <= MAX_DEPTH) {
    read();
  } else {
    findings.isBroken = true;
    reader.index = reader.source.length;
  }
  findings.depth -= 1;
}

/** Where a text is found next, or the end. */
export function indexOrEnd({ source, index }: Pick<Reader, "source" | "index">, text: string): number {
  const found = source.indexOf(text, index);
  return found === -1 ? source.length : found;
}

/** `$(cat <<'EOF' … )`, which only stands for a text: how agents quote long messages. */
export const QUOTED_TEXT = /\$\(cat <<'(?<end>\w+)'\n(?:(?!\k<end>\n)[^\n]*\n)*\k<end>\n[ \t]*\)/y;
