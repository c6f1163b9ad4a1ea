import { QUOTED_TEXT, take, type ShellCommand } from "./shell-script.ts";

/**
 * Whether a command line is made of nothing but what is listed here: words of ordinary characters and quotes, in commands
 * joined by `&&`, `||`, `;`, `|` and line ends, with here-documents whose text is taken as it is. What is not listed is not
 * plain, whether or not we would know what it means.
 */
export function isPlainScript(source: string): boolean {
  if (UNUSUAL.test(source)) return false;
  const reader = { source, index: 0 };
  let heredocs: string[] = [];
  const has = (pattern: RegExp): boolean => take(reader, pattern) !== undefined;
  /** One word of any number of parts. False where there is none, or one with something else in it. */
  const takeWord = (): boolean => {
    const start = reader.index;
    for (;;) {
      if (has(BARE) || has(SINGLE) || has(ESCAPED) || has(QUOTED_TEXT)) continue;
      if (!has(/"/y)) return reader.index > start && has(END);
      while (has(INSIDE_DOUBLE) || has(QUOTED_TEXT)) continue;
      if (!has(/"/y)) return false;
    }
  };
  while (reader.index < source.length) {
    if (has(BLANKS) || has(COMMENT) || has(REDIRECTION) || has(OPERATOR)) continue;
    const heredoc = take(reader, HEREDOC);
    if (heredoc !== undefined) {
      heredocs.push(heredoc.slice("<<'".length, -1));
    } else if (has(/\n/y)) {
      if (!heredocs.every((end) => has(new RegExp(`(?:(?!${end}(?:\\n|$))[^\\n]*\\n)*${end}(?:\\n|$)`, "y"))))
        return false;
      heredocs = [];
    } else if (!takeWord()) {
      return false;
    }
  }
  return heredocs.length === 0;
}

/** Control characters, exotic spaces and what has no width or turns the text around: what people see is not what the shell reads. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|[^\S \t\n]/;
const BLANKS = /[ \t]+/y;
const END = /(?=[ \t\n;|&]|$)/y;
const OPERATOR = /&&|\|\||;(?![;&])|\|(?![|&])/y;
const COMMENT = /(?<![^ \t\n;|&])#[^\n]*/y;
const REDIRECTION = /(?<=[ \t])(?:[12]?>>? ?\/dev\/null|[12]>&[12])(?=[ \t\n;|&]|$)/y;
const HEREDOC = /(?<=[ \t])<<(?:'\w+'|"\w+")(?=[ \t\n;|&]|$)/y;
/** A bracket after a name would be a subscript; a brace, a parenthesis or a dollar sign begins something else. */
const BARE =
  /(?:[\p{L}\p{N}_./:@,+%^~*?=\]-]|(?<![\w\]])\[|(?<=[\w./:-])#|(?<=[ \t])\{\}(?=[ \t\n;|&]|$)|\$(?=[ \t\n;|&]|$))+/uy;
const SINGLE = /'[^']*'/y;
const ESCAPED = /\\[\u0020-\u007e]/y;
const INSIDE_DOUBLE = /(?:[^"\\$`]|\\[^\n]|\$(?=[" ]))+/y;

/**
 * The texts that an allow rule may match for one command: as written, and without what the CLI too takes for harmless in
 * front of it, such as `NO_COLOR=1` and `timeout 5`.
 */
export function plainForms({ written, dynamic }: ShellCommand): readonly string[] {
  const forms: (readonly string[])[] = [];
  for (let form: readonly string[] | undefined = written; form; form = withoutPrefix(form)) forms.push(form);
  // A name that the shell makes up is no name that a rule could know.
  return forms.filter((form) => !dynamic[written.length - form.length]).map((form) => form.join(" "));
}

/** Variables that change how a program looks or talks, not what it runs. */
const HARMLESS = new Set(
  "LANG TZ TERM NO_COLOR FORCE_COLOR CI NODE_ENV RUST_LOG RUST_BACKTRACE PYTHONUNBUFFERED GOOS GOARCH".split(" "),
);

function withoutPrefix(words: readonly string[]): readonly string[] | undefined {
  const [first = "", second = "", third = ""] = words;
  const variable = /^(?<name>\w+)=[\w./:@,+-]*$/.exec(first)?.groups?.["name"];
  if (variable !== undefined && HARMLESS.has(variable)) return words.slice(1);
  if (first === "timeout" && /^\d+[smhd]?$/.test(second)) return words.slice(2);
  if (first === "nice" && second === "-n" && /^-?\d+$/.test(third)) return words.slice(3);
  if (["nice", "nohup", "time"].includes(first) && !second.startsWith("-")) return words.slice(1);
  return undefined;
}
