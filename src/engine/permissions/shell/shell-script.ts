export interface ShellCommand {
  /** Its words as written, without redirections: `FOO=1`, `git`, `'a b'`. */
  readonly written: readonly string[];
  /** The same words with quotes and escapes taken away; expansions stay as written. */
  readonly words: readonly string[];
  /** Which of the words hold something that the shell only knows when it runs: `$X`, `$(…)`, `a*`, `{a,b}`. */
  readonly dynamic: readonly boolean[];
  readonly outputs: readonly string[];
  /** The here-documents and here-strings it reads. */
  readonly inputs: readonly ShellInput[];
  /** Whether it reads what the command before it writes. */
  readonly isPiped: boolean;
}

export interface ShellInput {
  readonly text: string;
  /** The shell fills something in before the command reads it. */
  readonly isDynamic: boolean;
}

/** What a command line runs, as far as its text tells. */
export interface ShellScript extends Readonly<Findings> {
  /** All simple commands in the order of the text, those inside substitutions and sub-shells too. */
  readonly commands: readonly ShellCommand[];
  /** Nothing but simple commands in a row, no expansion, no file written: the list surely is all that runs. */
  readonly isPlain: boolean;
}

/** What holds for a line as a whole once it was found anywhere in it. */
interface Findings {
  /** The text could not be read to its end, or not with certainty: there may be more commands than the list has. */
  isBroken: boolean;
  /** Some text would be a command if it were read once more: `'$(rm x)'`. */
  hidesCode: boolean;
  /** Something reads the value of a variable once more: arithmetic, subscripts, `${!x}`, `${x@P}`. */
  evaluates: boolean;
}

/** A place in a command line, and what was found up to it. */
export interface Reader {
  readonly source: string;
  index: number;
  readonly commands: Draft[];
  heredocs: Heredoc[];
  /** Shared with the readers of the line's parts. */
  readonly findings: Findings & { depth: number };
  /** Reads commands up to a closing parenthesis, or to the end of the text. */
  readonly readCommands: (reader: Reader, closing: ")" | undefined) => void;
}

export interface Draft extends ShellCommand {
  readonly written: string[];
  readonly words: string[];
  readonly dynamic: boolean[];
  readonly outputs: string[];
  readonly inputs: ShellInput[];
}

/** A here-document whose text begins on the next line. */
interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly owner: Draft;
}

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

export function indexOrEnd({ source, index }: Pick<Reader, "source" | "index">, text: string): number {
  const found = source.indexOf(text, index);
  return found === -1 ? source.length : found;
}

/** `$(cat <<'EOF' … )`, which only stands for a text: how agents quote long messages. */
export const QUOTED_TEXT = /\$\(cat <<'(?<end>\w+)'\n(?:(?!\k<end>\n)[^\n]*\n)*\k<end>\n[ \t]*\)/y;
