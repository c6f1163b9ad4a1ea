import { isPlainScript } from "./plain-script.ts";
import { readHeredocs, readWord } from "./read-word.ts";
import { indexOrEnd, readNested, take, type Draft, type Reader, type ShellScript, type Word } from "./shell-script.ts";

/** Reads a command line as Bash would, up to where only running it could tell more. */
export function readShell(source: string): ShellScript {
  const findings = { isBroken: false, hidesCode: false, evaluates: false, depth: 0 };
  const reader: Reader = { source, index: 0, commands: [], heredocs: [], findings, readCommands };
  readCommands(reader, undefined);
  if (reader.heredocs.length > 0) findings.isBroken = true;
  const { depth: _, ...found } = findings;
  const isPlain = !found.isBroken && isPlainScript(source) && !reader.commands.some(startsReserved);
  return { commands: reader.commands, isPlain, ...found };
}

const OPERATOR = /&&|\|\||;;&?|;&|;|\|&|\||&(?!>)/y;
const REDIRECTION = /(?:\d*|\{\w+\})(?:<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|&>>?/y;
/** A sum of numbers and names, which nothing can be hidden in. */
const ARITHMETIC = /\(\([\w \t+*/%=!?:,<>&|^~;-]*\)\)/y;
const RESERVED = new Set(
  "! { } [[ if then elif else fi for while until do done case esac select function coproc".split(" "),
);

function startsReserved({ written }: Draft): boolean {
  return RESERVED.has(written[0] ?? "") || (written[0] === "time" && RESERVED.has(written[1] ?? ""));
}

function readCommands(reader: Reader, closing: ")" | undefined): void {
  const { findings } = reader;
  // Bash and we need not agree on which line a here-document begins that was announced outside.
  if (closing && reader.heredocs.length > 0) findings.isBroken = true;
  let draft = createDraft(false);
  const finish = (isPiped = false): void => {
    const isEmpty = draft.words.length === 0 && draft.outputs.length === 0;
    if (!isEmpty) reader.commands.push(draft);
    // Its patterns end in a parenthesis, which is not told apart from the closing one.
    if (closing && draft.written.includes("case")) findings.isBroken = true;
    draft = createDraft(isPiped || (isEmpty && draft.isPiped));
  };
  while (reader.index < reader.source.length) {
    const char = reader.source[reader.index];
    if (char === closing) {
      finish();
      if (reader.heredocs.length > 0) findings.isBroken = true;
      reader.index += 1;
      return;
    }
    const operator = take(reader, OPERATOR);
    const redirection = operator === undefined ? take(reader, REDIRECTION) : undefined;
    if (operator !== undefined) {
      finish(operator === "|" || operator === "|&");
    } else if (redirection !== undefined) {
      readRedirection(reader, redirection, draft);
    } else if (char === "\n") {
      finish();
      reader.index += 1;
      readHeredocs(reader);
    } else if (char === "(" || char === ")") {
      finish();
      readParenthesis(reader, char);
    } else if (char === " " || char === "\t") {
      reader.index += 1;
    } else if (char === "#") {
      reader.index = indexOrEnd(reader, "\n");
    } else {
      addWord(draft, readWord(reader));
    }
  }
  finish();
  if (closing) findings.isBroken = true;
}

function readParenthesis(reader: Reader, char: "(" | ")"): void {
  const { findings } = reader;
  if (char === "(" && reader.source[reader.index + 1] === "(") {
    findings.evaluates = true;
    if (take(reader, ARITHMETIC) !== undefined) return;
    // Arithmetic has other quotes, other comments and no here-documents.
    findings.isBroken = true;
  }
  reader.index += 1;
  if (char === "(") readNested(reader, () => readCommands(reader, ")"));
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

/** Delimiters of which it is certain what they are without their quotes. */
const DELIMITER = /^(?:[\w.-]+|'[\w. -]+'|"[\w. -]+"|\\\w+)$/;

function readRedirection(reader: Reader, operator: string, owner: Draft): void {
  take(reader, /[ \t]+/y);
  const { written, value, isDynamic } = readWord(reader);
  if (operator.endsWith("<<<")) {
    owner.inputs.push({ text: value, isDynamic });
  } else if (operator.endsWith("<<") || operator.endsWith("<<-")) {
    if (!DELIMITER.test(written)) reader.findings.isBroken = true;
    const isQuoted = /['"\\]/.test(written);
    reader.heredocs.push({ delimiter: value, isQuoted, stripsTabs: operator.endsWith("-"), owner });
  } else if (operator.includes(">") && !(/[<>]&$/.test(operator) && /^\d$/.test(value))) {
    owner.outputs.push(value);
  }
}
