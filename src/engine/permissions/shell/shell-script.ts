/** A simple command of a shell script. */
export interface ShellCommand {
  /** Its words as written, without redirections: `FOO=1`, `git`, `'a b'`. */
  readonly written: readonly string[];
  /** The same words with quotes and escapes taken away; expansions stay as written. */
  readonly words: readonly string[];
  /** Which of the words hold something that the shell only knows when it runs: `$X`, `$(…)`, `a*`, `{a,b}`. */
  readonly dynamic: readonly boolean[];
  /** The files that its output goes to. */
  readonly outputs: readonly string[];
  /** The here-documents and here-strings it reads. */
  readonly inputs: readonly ShellInput[];
  /** Whether it reads what the command before it writes. */
  readonly isPiped: boolean;
}

/** A text that a command line gives to one of its commands. */
export interface ShellInput {
  readonly text: string;
  /** The shell fills something in before the command reads it. */
  readonly isDynamic: boolean;
}

/** What a command line runs, as far as its text tells. */
export interface ShellScript {
  /** All simple commands in the order of the text, those inside substitutions and sub-shells too. */
  readonly commands: readonly ShellCommand[];
  /** Nothing but simple commands in a row, no expansion, no file written: the list surely is all that runs. */
  readonly isPlain: boolean;
  /** The text could not be read to its end, or not with certainty: there may be more commands than the list has. */
  readonly isBroken: boolean;
  /** Some text would be a command if it were read once more: `'$(rm x)'`. */
  readonly hidesCode: boolean;
  /** Something reads the value of a variable once more: arithmetic, subscripts, `${!x}`, `${x@P}`. */
  readonly evaluates: boolean;
}
