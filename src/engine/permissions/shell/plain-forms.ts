import type { ShellCommand } from "./shell-script.ts";

/**
 * The texts that an allow rule may match for one command: as written, and without what the CLI too takes for harmless in
 * front of it, such as `NO_COLOR=1` and `timeout 5`.
 */
export function plainForms({ written, dynamic }: ShellCommand): readonly string[] {
  const forms = [written];
  let rest = written;
  for (let next = withoutPrefix(rest); next !== undefined; next = withoutPrefix(rest)) {
    forms.push(next);
    rest = next;
  }
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
