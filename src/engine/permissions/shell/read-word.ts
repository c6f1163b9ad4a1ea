import { QUOTED_TEXT, indexOrEnd, readNested, take, type Reader, type Word } from "./shell-script.ts";

type Part = Omit<Word, "written">;

/** Reads a word: everything up to a blank or an operator that is not quoted. */
export function readWord(reader: Reader): Word {
  const start = reader.index;
  let value = "";
  let isDynamic = false;
  let hasBrace = false;
  const add = (part: Part): void => {
    value += part.value;
    isDynamic ||= part.isDynamic;
  };
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index] as string;
    if (/[<>]/.test(char) && reader.source[reader.index + 1] === "(") {
      reader.index += 2;
      readNested(reader, () => reader.readCommands(reader, ")"));
      add({ value: `${char}(…)`, isDynamic: true });
    } else if (/[ \t\n;&|<>()]/.test(char)) {
      break;
    } else if (char === "$" || char === "`") {
      add(readExpansion(reader, false));
    } else if (char === '"') {
      reader.index += 1;
      add(readQuoted(reader, '"'));
    } else {
      add({ value: readLiteral(reader, char), isDynamic: /[*?[]/.test(char) });
      hasBrace ||= char === "{";
    }
  }
  const written = reader.source.slice(start, reader.index);
  checkSubscript(reader, written);
  // The names of two commands look like patterns; braces make several words of one.
  const isMadeUp = (isDynamic && !/^\[\[?$/.test(written)) || (hasBrace && /,|\.\./.test(written));
  return { written, value, isDynamic: isMadeUp };
}

/** `a[…]` is a sum to Bash, in which `<`, quotes and blanks mean something else; one that does not end here goes on. */
function checkSubscript({ findings }: Reader, written: string): void {
  if (!/^\w+\[/.test(written)) return;
  findings.evaluates = true;
  if (!written.includes("]")) findings.isBroken = true;
}

/** A character that stands for itself, an escaped one, or a text in single quotes. */
function readLiteral(reader: Reader, char: string): string {
  const { source, index, findings } = reader;
  if (char === "'") {
    const end = source.indexOf("'", index + 1);
    const text = source.slice(index + 1, end === -1 ? undefined : end);
    if (end === -1) findings.isBroken = true;
    if (/[$`\\]/.test(text)) findings.hidesCode = true;
    reader.index = end === -1 ? source.length : end + 1;
    return text;
  }
  if (char !== "\\") {
    reader.index += 1;
    return char;
  }
  const escaped = source[index + 1] ?? "\\";
  reader.index += 2;
  if (/[$`\\]/.test(escaped)) findings.hidesCode = true;
  if (escaped !== "\n") return escaped;
  // Elsewhere than between two words it can part or join what we then take for something else.
  if (!/^[ \t]?$/.test(source[index - 1] ?? "") || !/[ \t\w./-]/.test(source[index + 2] ?? " "))
    findings.isBroken = true;
  return "";
}

/** The text up to an ending, in which only backslashes, `$` and backticks mean something. */
function readQuoted(reader: Reader, ending: '"' | "}" | undefined): Part {
  const { findings } = reader;
  let value = "";
  let isDynamic = false;
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index] as string;
    if (char === ending) {
      reader.index += 1;
      return { value, isDynamic };
    }
    // What quotes and braces mean inside of `${…}` depends on what stands around it.
    if (ending === "}" && /["'\\{]/.test(char)) findings.isBroken = true;
    // A process substitution runs there too.
    if (ending === "}" && /[<>]/.test(char) && reader.source[reader.index + 1] === "(") findings.isBroken = true;
    if (char === "$" || char === "`") {
      const expansion = readExpansion(reader, true);
      value += expansion.value;
      isDynamic ||= expansion.isDynamic;
    } else if (ending === "}" && char === '"') {
      reader.index += 1;
      value += readQuoted(reader, '"').value;
    } else if (char === "\\" && !/[$`"\\\n]/.test(reader.source[reader.index + 1] ?? "")) {
      findings.hidesCode = true;
      value += char;
      reader.index += 1;
    } else if (char === "\\" || (ending === "}" && char === "'")) {
      value += readLiteral(reader, char);
    } else {
      value += char;
      reader.index += 1;
    }
  }
  if (ending) findings.isBroken = true;
  return { value, isDynamic };
}

/** A variable, with a default or cut at an end; nothing in it is computed. */
const SIMPLE_PARAMETER = /\$\{#?(?:\w+|[@*#?$!-])(?:\[[@*\d]\])?(?=\}|:?[-+=?]|[#%^,/])/y;
const SUM = /\$\(\([\w \t+*/%=!?:,<>&|^~$-]*\)\)/y;

function readExpansion(reader: Reader, isQuoted: boolean): Part {
  const { source, findings, index: start } = reader;
  const next = source[start + 1] ?? "";
  if (source[start] === "`") {
    readBackticks(reader, isQuoted);
  } else if (take(reader, QUOTED_TEXT) !== undefined) {
    // Only a text, which is in the word as it is written.
  } else if (next === "(") {
    readSubstitution(reader);
  } else if (next === "{") {
    readParameter(reader);
  } else if (!isQuoted && next === "'") {
    findings.hidesCode = true;
    take(reader, /\$'(?:[^'\\]|\\[^])*/y);
    if (source[reader.index] !== "'") findings.isBroken = true;
    reader.index += 1;
  } else if (take(reader, /\$(?:\w+|[@*#?$!-])/y) === undefined) {
    // A dollar sign that stands for itself, a text in the user's language, or `$[` and what else there may be.
    reader.index += 1;
    findings.hidesCode = true;
    if (/[[\\|]/.test(next)) findings.isBroken = true;
    return { value: next === '"' && !isQuoted ? "" : "$", isDynamic: false };
  }
  return { value: source.slice(start, reader.index), isDynamic: true };
}

function readSubstitution(reader: Reader): void {
  const { source, findings, index: start } = reader;
  if (source[start + 2] === "(") {
    const sum = take(reader, SUM);
    if (sum === undefined) findings.isBroken = true;
    if (sum === undefined || /[a-z_$]/i.test(sum.slice(1))) findings.evaluates = true;
    if (sum !== undefined) return;
  }
  reader.index = start + 2;
  readNested(reader, () => reader.readCommands(reader, ")"));
}

function readParameter(reader: Reader): void {
  const { source, findings, index: start } = reader;
  if (take(reader, SIMPLE_PARAMETER) === undefined) {
    findings.evaluates = true;
    // Since Bash 5.3 a blank or a bar after the brace begins commands.
    if (!/[\w!@*#?$-]/.test(source[start + 2] ?? "")) findings.isBroken = true;
    reader.index = start + 2;
  }
  readNested(reader, () => void readQuoted(reader, "}"));
}

function readBackticks(reader: Reader, isQuoted: boolean): void {
  const { findings } = reader;
  const body = take(reader, /`(?:[^`\\]|\\[^])*/y) ?? "";
  if (reader.source[reader.index] !== "`") findings.isBroken = true;
  // Inside of double quotes a backslash before one of them goes away too, so what is quoted differs.
  if (isQuoted && /["\\]/.test(body)) findings.isBroken = true;
  reader.index += 1;
  const source = body.slice(1).replaceAll(/\\([`\\$])/g, "$1");
  const inner: Reader = { ...reader, source, index: 0, heredocs: [] };
  readNested(inner, () => reader.readCommands(inner, undefined));
  if (inner.heredocs.length > 0) findings.isBroken = true;
}

/** Reads the texts of the here-documents that were announced on the line above. */
export function readHeredocs(reader: Reader): void {
  const { heredocs, findings } = reader;
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
    // A line that goes on in the next one can hide the end, or make one up.
    if (isOpen || (!isQuoted && lines.some((line) => line.endsWith("\\")))) findings.isBroken = true;
    const text = lines.join("\n");
    if (isQuoted) {
      if (/[$`\\]/.test(text)) findings.hidesCode = true;
      owner.inputs.push({ text, isDynamic: false });
      continue;
    }
    const inner: Reader = { ...reader, source: text, index: 0, heredocs: [] };
    const { isDynamic } = readQuoted(inner, undefined);
    if (inner.heredocs.length > 0) findings.isBroken = true;
    owner.inputs.push({ text, isDynamic });
  }
}
