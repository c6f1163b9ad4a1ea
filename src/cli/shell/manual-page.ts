import type { CommandWords, FlagWords } from "./describe-words.ts";

/** The manual page, `skein(1)`, made from the commands. */
export function manualPage(commands: readonly CommandWords[], version: string): string {
  const headings = [...new Set(commands.map(({ heading }) => heading))];
  const groups = headings.map((heading) => {
    const inside = commands.filter((command) => command.heading === heading);
    return `.SS ${quoted(heading.replace(/:$/u, ""))}\n${inside.map(commandPart).join("")}`;
  });
  return `.\\" Written by: skein man
.TH SKEIN 1 "" ${quoted(`skein ${version}`)} "User Commands"
.SH NAME
skein \\- run coding agents as experiments, with the Claude Code CLI
.SH SYNOPSIS
.B skein
.RI [ \\-C " folder" ]
.I command
.RI [ arguments ]
.SH DESCRIPTION
Every turn of an agent is recorded with the files and the session before and after it, so that it can be looked at, taken back, branched and
compared. To begin:
.BR "skein demo" ,
.BR "skein init" ,
.BR "skein run" .
.PP
Commands look upwards for the recorded workspace, from the present folder or from
.BR \\-\\-cwd .
All of them take
.B \\-\\-output\\-format
and
.BR \\-\\-envelope\\-version .
.SH COMMANDS
${groups.join("")}${ENDING}`;
}

const ENDING = `.SH "EXIT STATUS"
.TP
.B 0
success
.TP
.B 1
an error, or not found
.TP
.B 2
a time limit
.TP
.B 130
interrupted twice
.SH ENVIRONMENT
.TP
.B SKEIN_HOME
Where everything is recorded.
.TP
.B ANTHROPIC_API_KEY
The key that Claude Code uses; \\fB\\-\\-offline\\fR needs none.
.TP
.B NO_COLOR
No colours.
.SH FILES
.TP
.I ~/.local/share/skein
The records, unless
.B SKEIN_HOME
or
.B XDG_DATA_HOME
say otherwise.
.TP
.I skein.config.json
Settings of a workspace.
.SH "SEE ALSO"
.BR claude (1),
.BR git (1)
`;

function commandPart({ name, summary, places, flags, examples }: CommandWords): string {
  const named = places.map((place) => (place.isRequired ? `<${place.name}>` : `[${place.name}]`));
  const own = flags.filter(({ long }) => !COMMON.has(long));
  return [
    `.TP\n.B ${quoted(["skein", name, ...named].join(" "))}\n${text(`${summary}.`)}\n`,
    own.length === 0 ? "" : `.RS\n${own.map(flagPart).join("")}.RE\n`,
    examples.length === 0 ? "" : `.RS\n.PP\nExamples:\n${examples.map(examplePart).join("")}.RE\n`,
  ].join("");
}

const COMMON = new Set(["--output-format", "--json", "--help"]);

function flagPart({ long, short, label, takesValue, description, choices }: FlagWords): string {
  const names = short === undefined ? long : `${short}, ${long}`;
  const value = takesValue ? ` <${label ?? "value"}>` : label === undefined ? "" : ` [${label}]`;
  const words = choices.length === 0 ? "" : ` One of ${choices.join(", ")}.`;
  return `.TP\n.B ${quoted(`${names}${value}`)}\n${text(`${description}.${words}`)}\n`;
}

function examplePart(example: string): string {
  return `.br\n${text(`skein ${example}`)}\n`;
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', "\\(dq")}"`;
}

/** A line that is no request, whatever it begins with. */
function text(line: string): string {
  return /^[.']/u.test(line) ? `\\&${escaped(line)}` : escaped(line);
}

function escaped(words: string): string {
  return words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...").replaceAll("’", "'");
}
