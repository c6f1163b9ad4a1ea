/** A piece of source text that matters to the architecture check. Comments and the text of templates are left out. */
export interface Token {
  readonly type: "word" | "string" | "symbol";
  readonly text: string;
  readonly line: number;
}

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\d[\w.]*/y;
const BLANK = /\s+/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[^]*?\*\//y;
const STRING = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[^]|\$(?!\{))*(`|\$\{)/y;
/** After these words a slash begins a regular expression, not a division. */
const BEFORE_REGEX = new Set(["return", "typeof", "case", "in", "of", "void", "delete", "throw", "await", "yield"]);

/**
 * Cuts TypeScript into words, strings and symbols, well enough to find imports and exports: source code that
 * stands inside a string or a template is no import.
 */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  const openBraces: ("block" | "template")[] = [];
  let position = 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return undefined;
    position += text.length;
    line += text.split("\n").length - 1;
    return text;
  };
  const takeTemplate = (): void => {
    const text = take(TEMPLATE_PART);
    if (text === undefined) position = source.length;
    else if (text.endsWith("${")) openBraces.push("template");
    else tokens.push({ type: "symbol", text: "`", line });
  };
  const takeSymbol = (): void => {
    const text = source.charAt(position);
    position += 1;
    if (text === "`") return takeTemplate();
    if (text === "}" && openBraces.pop() === "template") return takeTemplate();
    if (text === "{") openBraces.push("block");
    tokens.push({ type: "symbol", text, line });
  };

  while (position < source.length) {
    if (take(BLANK) ?? take(LINE_COMMENT) ?? take(BLOCK_COMMENT)) continue;
    const start = line;
    const word = take(WORD);
    if (word) tokens.push({ type: "word", text: word, line: start });
    else if (take(NUMBER)) tokens.push({ type: "symbol", text: "0", line: start });
    else takeStringOrSymbol(start);
  }
  return tokens;

  function takeStringOrSymbol(start: number): void {
    const string = take(STRING);
    if (string) tokens.push({ type: "string", text: string.slice(1, -1), line: start });
    else if (beginsRegex(tokens.at(-1)) && take(REGEX)) tokens.push({ type: "symbol", text: "0", line: start });
    else takeSymbol();
  }
}

function beginsRegex(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.type === "word") return BEFORE_REGEX.has(previous.text);
  return previous.type === "symbol" && !["0", ")", "]", "}", "`"].includes(previous.text);
}
