import type { CommandWords, FlagWords, PlaceWords } from "./describe-words.ts";

/** The script that zsh completes `skein` by, with what commands and flags mean beside them. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name);
  const groups = [...new Set(names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""))];
  const single = commands.filter(({ name }) => !name.includes(" "));
  const listed = [
    ...single.map(({ name, summary }) => `${colons(name)}:${summary}`),
    ...groups.map((group) => `${group}:more commands`),
    "help:Show help for a command",
  ];
  const inGroups = groups.map((group) => {
    const inner = commands.filter(({ name }) => name.startsWith(`${group} `));
    const words = inner.map(({ name }) => name.slice(group.length + 1));
    const branches = inner.map((command, index) => branch({ ...command, name: words[index] ?? "" }, "        "));
    return `    ${group})
      _arguments '1: :(${words.join(" ")})' '*:: :->inner'
      case $words[1] in
${branches.join("\n")}
      esac ;;`;
  });
  return `#compdef skein
# Completes skein in zsh. Written by: skein completion zsh

_skein_states() {
  local -a names
  names=(\${(f)"$(skein completion names 2>/dev/null)"})
  compadd -a names
}

_skein() {
  local curcontext="$curcontext" state
  local -a commands
  commands=(
${listed.map((line) => `    ${quote(line)}`).join("\n")}
  )
  _arguments -C '(-C --cwd)'{-C,--cwd}'[The workspace]:directory:_files -/' '(-j --json)'{-j,--json}'[Answer in JSON]' \\
    '(-h --help)'{-h,--help}'[Show help]' '(-V --version)'{-V,--version}'[Print the version]' \\
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands; return ;;
    rest) ;;
    *) return ;;
  esac
  case $words[1] in
    help) _describe command commands ;;
${[...single.map((command) => branch(command, "    ")), ...inGroups].join("\n")}
  esac
}

if [ "$funcstack[1]" = _skein ]; then _skein "$@"; else compdef _skein skein; fi
`;
}

function branch({ name, flags, places }: Omit<CommandWords, "heading">, indent: string): string {
  const words = [...flags.map(flagSpec), ...places.map((place, index) => placeSpec(place, index + 1))];
  return `${indent}${name}) _arguments ${words.join(` \\\n${indent}  `)} ;;`;
}

function flagSpec(flag: FlagWords): string {
  const { long, short, description, takesValue, label = "value" } = flag;
  const told = `[${description.replaceAll(/[[\]\\]/gu, "\\$&")}]`;
  const value = takesValue ? `:${colons(label)}:${actionOf(flag)}` : "";
  if (short === undefined) return quote(`*${long}${told}${value}`);
  return `'*'{${short},${long}}${quote(`${told}${value}`)}`;
}

function placeSpec(place: PlaceWords, index: number): string {
  return quote(`${index}${place.isRequired ? "" : ":"}:${colons(place.name)}:${actionOf(place)}`);
}

function actionOf({ kind, choices }: FlagWords | PlaceWords): string {
  const actions = {
    choice: `(${choices.join(" ")})`,
    folder: "_files -/",
    file: "_files",
    state: "_skein_states",
    text: " ",
  };
  return actions[kind];
}

function colons(text: string): string {
  return text.replaceAll(":", "\\:");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
