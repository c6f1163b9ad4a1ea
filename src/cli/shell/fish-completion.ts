import type { CommandWords, FlagWords, PlaceWords } from "./describe-words.ts";

/** The script that fish completes `skein` by, with what commands and flags mean beside them. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  const firsts = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first = "", ...rest] = name.split(" ");
    if (!firsts.has(first)) firsts.set(first, rest.length === 0 ? summary : "More commands");
  }
  const topics = complete("help", [`-a ${quote([...firsts.keys()].join(" "))}`, "-d 'A command'"]);
  firsts.set("help", "Show help for a command");
  const lines = [...firsts].map(([name, summary]) => complete("''", [`-a ${quote(name)}`, `-d ${quote(summary)}`]));
  const groups = commands.flatMap(({ name, summary }) => {
    const [group = "", inner] = name.split(" ");
    return inner === undefined ? [] : [complete(quote(group), [`-a ${inner}`, `-d ${quote(summary)}`])];
  });
  return `# Completes skein in fish. Written by: skein completion fish

function __skein_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command
    while set -q words[1]
        switch $words[1]
            case -C --cwd
                set -e words[1]
            case '-*'
            case '*'
                test (count $command) -lt 2; and set -a command $words[1]
        end
        set -e words[1]
    end
    test -z "$argv[1]"; and return (count $command)
    contains -- "$argv[1]" "$command[1]" "$command"
end

complete -c skein -f
${complete("''", ["-s C", "-r", "-f", "-a '(__fish_complete_directories)'", "-d 'Where to look, or to work'"])}
${[...lines, topics, ...groups, ...commands.flatMap(commandLines)].join("\n")}
`;
}

function commandLines({ name, flags, places }: CommandWords): readonly string[] {
  return [
    ...flags.map((flag) => complete(quote(name), flagWords(flag))),
    ...places.flatMap((place) => {
      const words = valueWords(place);
      return words === undefined ? [] : [complete(quote(name), [...words, `-d ${quote(place.description)}`])];
    }),
  ];
}

function complete(where: string, words: readonly string[]): string {
  return `complete -c skein -n ${quote(`__skein_at ${where}`)} ${words.join(" ")}`;
}

function flagWords(flag: FlagWords): readonly string[] {
  const { long, short, description, takesValue } = flag;
  const names = [`-l ${long.slice(2)}`, ...(short === undefined ? [] : [`-s ${short.slice(1)}`])];
  // Without -f files stand among the words.
  const value = takesValue ? ["-r", ...(flag.kind === "file" ? [] : ["-f"]), ...(valueWords(flag) ?? [])] : [];
  return [...names, ...value, `-d ${quote(description)}`];
}

function valueWords({ kind, choices }: FlagWords | PlaceWords): readonly string[] | undefined {
  if (kind === "choice") return [`-a ${quote(choices.join(" "))}`];
  if (kind === "state") return ["-a '(skein completion names 2>/dev/null)'"];
  if (kind === "folder") return ["-a '(__fish_complete_directories)'"];
  return kind === "file" ? ["-F"] : undefined;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
