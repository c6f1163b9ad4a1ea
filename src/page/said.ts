/** What stands in a message: what was said, and what the CLI put around it. */
interface Said {
  readonly text: string;
  /** A slash command or a command after `!`, as it was typed. */
  readonly command: string | undefined;
  readonly boilerplate: readonly Boilerplate[];
}

/** Text that nobody said: a reminder, the file that an editor shows, the output of a hook. */
export interface Boilerplate {
  readonly tag: string;
  readonly text: string;
}

/** The tags whose contents are for the model alone. */
const FOLDED = [
  "system-reminder",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "local-command-caveat",
  "task-notification",
  "user-prompt-submit-hook",
  "session-start-hook",
  "post-tool-use-hook",
  "new-diagnostics",
  "agent-notification",
] as const;

const UNWRAPPED = ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"] as const;

/** Takes what people want to read out of the tags in which Claude Code wraps it. Nothing is lost: the rest is given apart. */
export function splitSaid(text: string): Said {
  if (!text.includes("<")) return { text: text.trim(), command: undefined, boilerplate: [] };
  const boilerplate: Boilerplate[] = [];
  let rest = text;
  for (const tag of FOLDED) {
    const taken = takeTagged(rest, tag);
    rest = taken.rest;
    boilerplate.push(...taken.inside.map((inside) => ({ tag, text: inside })));
  }
  const name = takeTagged(rest, "command-name").inside[0];
  const shell = takeTagged(rest, "bash-input").inside[0];
  if (name !== undefined || shell !== undefined) {
    const args = takeTagged(rest, "command-args").inside[0] ?? "";
    const others = ["command-name", "command-args", "command-message", "bash-input", "command-contents"];
    const left = others.reduce((before, tag) => takeTagged(before, tag).rest, rest);
    const command = name === undefined ? `! ${(shell ?? "").trim()}` : `${name.trim()} ${args.trim()}`.trim();
    return { text: left.trim(), command, boilerplate };
  }
  const unwrapped = UNWRAPPED.reduce(
    (before, tag) => before.replaceAll(`<${tag}>`, "").replaceAll(`</${tag}>`, ""),
    rest,
  );
  return { text: unwrapped.trim(), command: undefined, boilerplate };
}

/** What a message says, in one text: for formats that fold nothing. */
export function shownText(text: string): string {
  const { command, text: said } = splitSaid(text);
  return [command ?? "", said].filter((part) => part !== "").join("\n\n");
}

/** By its places instead of by a pattern: a text of ten thousand opening tags must not take a minute. */
function takeTagged(text: string, tag: string): { readonly rest: string; readonly inside: readonly string[] } {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const inside: string[] = [];
  let rest = "";
  let from = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    inside.push(text.slice(start + open.length, end).trim());
    rest += text.slice(from, start);
    from = end + close.length;
  }
  return { rest: rest + text.slice(from), inside };
}
