import type { CommandWords, FlagWords, PlaceWords } from "./describe-words.ts";

/** The script that bash completes `skein` by: the commands' words as `case` branches, and one function that looks them up. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name);
  const firsts = [...new Set(names.map((name) => name.split(" ")[0] ?? ""))];
  const groups = firsts.filter((first) => !names.includes(first));
  const groupLines = groups.map((group) => {
    const inner = names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
    return `    ${group}) echo ${quote(inner.join(" "))} ;;`;
  });
  return `# Completes skein in bash. Written by: skein completion bash

_skein_commands=${quote([...firsts, "help"].join(" "))}

_skein_group() {
  case "$1" in
${groupLines.join("\n")}
  esac
}

_skein_flags() {
  case "$1" in
${commands.map(({ name, flags }) => `    ${quote(name)}) echo ${quote(flags.flatMap(namesOf).join(" "))} ;;`).join("\n")}
  esac
}

_skein_value() {
  case "$1" in
${valueLines(commands).join("\n")}
  esac
}

_skein_place() {
  case "$1" in
${commands.flatMap(placeLines).join("\n")}
  esac
}

${FUNCTION}`;
}

/** Words are looked for by `compgen`, a line each, so that names with spaces stay whole. */
const FUNCTION = `_skein_reply() {
  local IFS=$'\\n' kind="\${1%% *}" words="\${1#* }"
  case "$kind" in
    choice) COMPREPLY=($(compgen -W "\${words// /$'\\n'}" -- "$2")) ;;
    state) COMPREPLY=($(compgen -W "$(skein completion names "$3" 2>/dev/null)" -- "$2")) ;;
    folder) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$2")) ;;
    file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$2")) ;;
  esac
}

_skein() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" folder="" word="" places=0 index=1
  COMPREPLY=()
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      -C|--cwd) index=$((index + 1)); folder="\${COMP_WORDS[index]}" ;;
      -*) if [ -n "$(_skein_value "$command $word")" ]; then index=$((index + 1)); fi ;;
      *)
        if [ -z "$command" ]; then command="$word"
        elif [ "$places" -eq 0 ] && [ -n "$(_skein_group "$command")" ]; then command="$command $word"
        else places=$((places + 1)); fi ;;
    esac
    index=$((index + 1))
  done
  local value="$(_skein_value "$command $before")"
  if [ -n "$value" ]; then _skein_reply "$value" "$current" "$folder"
  elif [ -z "$command" ] || [ "$command" = help ]; then _skein_reply "choice $_skein_commands" "$current"
  elif [ -n "$(_skein_group "$command")" ]; then _skein_reply "choice $(_skein_group "$command")" "$current"
  elif [ "\${current#-}" != "$current" ]; then _skein_reply "choice $(_skein_flags "$command")" "$current"
  else _skein_reply "$(_skein_place "$command $places")" "$current" "$folder"; fi
}

complete -F _skein skein
`;

function namesOf({ long, short }: FlagWords): readonly string[] {
  return short === undefined ? [long] : [short, long];
}

/** What a flag takes: one line for all commands, where all take the same by it. */
function valueLines(commands: readonly CommandWords[]): readonly string[] {
  const taken = new Map<string, Map<string, string[]>>();
  for (const { name, flags } of commands) {
    for (const flag of flags.filter(({ takesValue }) => takesValue)) {
      const kinds = taken.get(namesOf(flag).join("|")) ?? new Map<string, string[]>();
      taken.set(namesOf(flag).join("|"), kinds);
      kinds.set(wordsOf(flag), [...(kinds.get(wordsOf(flag)) ?? []), name]);
    }
  }
  return [...taken].flatMap(([names, kinds]) => {
    const pattern = (command: string): string =>
      names
        .split("|")
        .map((name) => `${command}" ${name}"`)
        .join("|");
    const [commonest, ...others] = [...kinds].toSorted(([, left], [, right]) => right.length - left.length);
    const special = others.flatMap(([words, where]) =>
      where.map((command) => `    ${pattern(quote(command))}) echo ${quote(words)} ;;`),
    );
    return [...special, `    ${pattern("*")}) echo ${quote(commonest?.[0] ?? "")} ;;`];
  });
}

function placeLines({ name, places }: CommandWords): readonly string[] {
  return places.flatMap((place, index) =>
    place.kind === "text" ? [] : [`    ${quote(`${name} ${index}`)}) echo ${quote(wordsOf(place))} ;;`],
  );
}

function wordsOf({ kind, choices }: FlagWords | PlaceWords): string {
  return [kind, ...choices].join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
