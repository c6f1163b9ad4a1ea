import type { ShellCommand, ShellScript } from "./shell-script.ts";

/** Reads a command line as Bash would, up to where only running it could tell more. */
export function readShell(source: string): ShellScript {
  const reader: Reader = {
    source,
    index: 0,
    commands: [],
    heredocs: [],
    isPlain: !UNUSUAL.test(source),
    isBroken: false,
  };
  readCommands(reader, undefined);
  if (reader.heredocs.length > 0) reader.isBroken = true;
  return { commands: reader.commands, isPlain: reader.isPlain && !reader.isBroken, isBroken: reader.isBroken };
}

interface Reader {
  readonly source: string;
  index: number;
  readonly commands: Draft[];
  heredocs: Heredoc[];
  isPlain: boolean;
  isBroken: boolean;
}

interface Draft extends ShellCommand {
  readonly written: string[];
  readonly words: string[];
  readonly dynamic: boolean[];
  readonly outputs: string[];
  readonly inputs: string[];
}

interface Word {
  readonly written: string;
  readonly value: string;
  readonly isDynamic: boolean;
}

/** A here-document whose text begins on the next line. */
interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly owner: Draft;
}

/** Carriage returns, other control characters and exotic spaces: what people see is not what the shell reads. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000B-\u001F\u007F]|[^\S \t\n]/;
const OPERATOR = /&&|\|\||;;&?|;&|;|\|&|\||&(?!>)/y;
const REDIRECTION = /\d*(?:<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|&>>?/y;
const PLAIN_OPERATORS = ["&&", "||", ";", "|"];
const RESERVED = new Set(
  "! { } [[ if then elif else fi for while until do done case esac select function coproc".split(" "),
);

function readCommands(reader: Reader, closing: ")" | undefined): void {
  let draft = createDraft(false);
  const finish = (isPiped = false): void => {
    const isEmpty = draft.words.length === 0 && draft.outputs.length === 0;
    if (!isEmpty) reader.commands.push(draft);
    if (RESERVED.has(draft.written[0] ?? "")) reader.isPlain = false;
    // Its patterns end in a parenthesis, which is not told apart from the closing one.
    if (closing && draft.written[0] === "case") reader.isBroken = true;
    draft = createDraft(isPiped || (isEmpty && draft.isPiped));
  };
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index];
    if (char === closing) {
      finish();
      if (reader.heredocs.length > 0) reader.isBroken = true;
      reader.index += 1;
      return;
    }
    const operator = take(reader, OPERATOR);
    const redirection = operator === undefined ? take(reader, REDIRECTION) : undefined;
    if (operator !== undefined) {
      if (!PLAIN_OPERATORS.includes(operator)) reader.isPlain = false;
      finish(operator === "|" || operator === "|&");
    } else if (redirection !== undefined) {
      readRedirection(reader, redirection, draft);
    } else if (char === "\n") {
      finish();
      reader.index += 1;
      readHeredocs(reader);
    } else if (char === "(" || char === ")") {
      finish();
      reader.isPlain = false;
      reader.index += 1;
      if (char === "(") readCommands(reader, ")");
    } else if (char === " " || char === "\t") {
      reader.index += 1;
    } else if (char === "#") {
      reader.index = indexOrEnd(reader, "\n");
    } else {
      addWord(draft, readWord(reader));
    }
  }
  finish();
  if (closing) reader.isBroken = true;
}

function createDraft(isPiped: boolean): Draft {
  return { written: [], words: [], dynamic: [], outputs: [], inputs: [], isPiped };
}

function addWord(draft: Draft, { written, value, isDynamic }: Word): void {
  if (/^(?:\\\n)+$/.test(written)) return;
  draft.written.push(written);
  draft.words.push(value);
  draft.dynamic.push(isDynamic);
}

function readRedirection(reader: Reader, operator: string, owner: Draft): void {
  take(reader, /[ \t]+/y);
  const { written, value } = readWord(reader);
  if (operator.endsWith("<<") || operator.endsWith("<<-")) {
    const isQuoted = /['"\\]/.test(written);
    if (!isQuoted) reader.isPlain = false;
    reader.heredocs.push({ delimiter: value, isQuoted, stripsTabs: operator.endsWith("-"), owner });
    return;
  }
  if (/[<>]&$/.test(operator) && /^\d$/.test(value)) return;
  if (!operator.includes(">")) {
    reader.isPlain = false;
    return;
  }
  owner.outputs.push(value);
  if (written !== "/dev/null") reader.isPlain = false;
}

function readHeredocs(reader: Reader): void {
  const { heredocs } = reader;
  reader.heredocs = [];
  for (const { delimiter, isQuoted, stripsTabs, owner } of heredocs) {
    const lines: string[] = [];
    let isOpen = true;
    while (isOpen && reader.index < reader.source.length) {
      const end = indexOrEnd(reader, "\n");
      const line = reader.source.slice(reader.index, end);
      reader.index = end + 1;
      isOpen = (stripsTabs ? line.replace(/^\t+/, "") : line) !== delimiter;
      if (isOpen) lines.push(line);
    }
    if (isOpen) reader.isBroken = true;
    const text = lines.join("\n");
    owner.inputs.push(text);
    if (isQuoted) continue;
    const inner = { ...reader, source: text, index: 0, heredocs: [] };
    readQuoted(inner, undefined);
    reader.isBroken ||= inner.isBroken || inner.heredocs.length > 0;
  }
}

function readWord(reader: Reader): Word {
  const start = reader.index;
  let value = "";
  let isDynamic = false;
  let hasBrace = false;
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index] as string;
    if (/[<>]/.test(char) && reader.source[reader.index + 1] === "(") {
      reader.index += 2;
      reader.isPlain = false;
      readCommands(reader, ")");
      value += `${char}(…)`;
      isDynamic = true;
    } else if (/[ \t\n;&|<>()]/.test(char)) {
      break;
    } else if (char === "$" || char === "`") {
      const expansion = readExpansion(reader, false);
      value += expansion.value;
      isDynamic ||= expansion.isDynamic;
    } else if (char === '"') {
      reader.index += 1;
      const quoted = readQuoted(reader, '"');
      value += quoted.value;
      isDynamic ||= quoted.isDynamic;
    } else {
      value += readLiteral(reader, char);
      isDynamic ||= /[*?[]/.test(char);
      hasBrace ||= char === "{";
    }
  }
  const written = reader.source.slice(start, reader.index);
  // Braces make several words of one.
  if (hasBrace && !["{", "{}"].includes(written)) reader.isPlain = false;
  return { written, value, isDynamic };
}

/** A character that stands for itself, an escaped one, or a text in single quotes. */
function readLiteral(reader: Reader, char: string): string {
  if (char === "'") {
    const end = reader.source.indexOf("'", reader.index + 1);
    const text = reader.source.slice(reader.index + 1, end === -1 ? undefined : end);
    if (end === -1) reader.isBroken = true;
    reader.index = end === -1 ? reader.source.length : end + 1;
    return text;
  }
  if (char !== "\\") {
    reader.index += 1;
    return char;
  }
  const escaped = reader.source[reader.index + 1] ?? "\\";
  reader.index += 2;
  if (escaped !== "\n") return escaped;
  reader.isPlain = false;
  return "";
}

/** The text up to an ending, in which only backslashes, `$` and backticks mean something. */
function readQuoted(reader: Reader, ending: '"' | "}" | undefined): Omit<Word, "written"> {
  let value = "";
  let isDynamic = false;
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index] as string;
    if (char === ending) {
      reader.index += 1;
      return { value, isDynamic };
    }
    if (char === "$" || char === "`") {
      const expansion = readExpansion(reader, true);
      value += expansion.value;
      isDynamic ||= expansion.isDynamic;
    } else if (ending === "}" && char === '"') {
      reader.index += 1;
      value += readQuoted(reader, '"').value;
    } else if (char === "\\" && !/[$`"\\\n]/.test(reader.source[reader.index + 1] ?? "")) {
      value += char;
      reader.index += 1;
    } else if (char === "\\" || (ending === "}" && char === "'")) {
      value += readLiteral(reader, char);
    } else {
      value += char;
      reader.index += 1;
    }
  }
  if (ending) reader.isBroken = true;
  return { value, isDynamic };
}

function readExpansion(reader: Reader, isQuoted: boolean): Omit<Word, "written"> {
  const start = reader.index;
  const next = reader.source[start + 1] ?? "";
  const wasPlain = reader.isPlain;
  reader.isPlain = false;
  if (reader.source[start] === "`") {
    readBackticks(reader);
  } else if (next === "(") {
    reader.index += 2;
    if (readSubstitution(reader)) reader.isPlain = wasPlain;
  } else if (next === "{") {
    reader.index += 2;
    readQuoted(reader, "}");
  } else if (!isQuoted && next === "'") {
    take(reader, /\$'(?:[^'\\]|\\[^])*/y);
    if (reader.source[reader.index] !== "'") reader.isBroken = true;
    reader.index += 1;
  } else if (take(reader, /\$(?:\w+|[@*#?$!-])/y) === undefined) {
    // A dollar sign that stands for itself, or a text in the user's language.
    reader.index += 1;
    if (next !== '"' || isQuoted) reader.isPlain = wasPlain;
    return { value: next === '"' && !isQuoted ? "" : "$", isDynamic: false };
  }
  return { value: reader.source.slice(start, reader.index), isDynamic: true };
}

/** Reads `$(…)`. True if it only stands for a text: `$(cat <<'EOF' … )`, which is how agents quote long messages. */
function readSubstitution(reader: Reader): boolean {
  const count = reader.commands.length;
  reader.isPlain = true;
  readCommands(reader, ")");
  const [command, ...others] = reader.commands.slice(count);
  const isText =
    reader.isPlain && others.length === 0 && command?.written.join(" ") === "cat" && !command.outputs.length;
  reader.isPlain = false;
  if (isText) reader.commands.pop();
  return isText;
}

function readBackticks(reader: Reader): void {
  const body = take(reader, /`(?:[^`\\]|\\[^])*/y) ?? "";
  if (reader.source[reader.index] !== "`") reader.isBroken = true;
  reader.index += 1;
  const inner = readShell(body.slice(1).replaceAll(/\\([`\\$])/g, "$1"));
  reader.commands.push(...(inner.commands as Draft[]));
  reader.isBroken ||= inner.isBroken;
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.index;
  const found = pattern.exec(reader.source)?.[0];
  reader.index += found?.length ?? 0;
  return found;
}

function indexOrEnd({ source, index }: Reader, text: string): number {
  const found = source.indexOf(text, index);
  return found === -1 ? source.length : found;
}
