import { defined } from "../core/internal.ts";
import { type Command, ENVELOPE_VERSIONS, type Flag, flagsOf, OUTPUT_FORMATS, toWords } from "../protocol/index.ts";
import type { ParserWords } from "./add-words.ts";

/** A command's flags and arguments, as its parser is to have them. */
export function parserWords(command: Command): ParserWords {
  const flags = flagsOf(command);
  // All are optional to commander, so that a missing one is reported by the same code as a wrong one.
  const places = (command.positional ?? []).map((field) => {
    const name = `[${toWords(field)}]`;
    const flag = flags.find((candidate) => candidate.field === field);
    return { field, name, usage: flag?.isRequired ? flag.name : name, description: flag?.description };
  });
  const own = flags.filter(({ isPositional }) => !isPositional).map((flag) => optionWords(flag, command.conflicts));
  return { places, options: [...own, ...commonOptions(command)], examples: command.examples ?? [] };
}

type OptionWords = ParserWords["options"][number];

function optionWords(flag: Flag, conflicts: readonly string[] = []): OptionWords {
  const names = flag.short === undefined ? flag.name : `${flag.short}, ${flag.name}`;
  const isShown = flag.type !== "boolean" && flag.type !== "array";
  const others = conflicts.filter((field) => field !== flag.field);
  return {
    flags: `${names}${valueOf(flag)}`,
    description: flag.description,
    ...defined({ preset: flag.preset, choices: flag.enum, default: isShown ? flag.default : undefined }),
    ...(conflicts.includes(flag.field) ? { conflicts: others } : {}),
  };
}

function valueOf(flag: Flag): string {
  const label = flag.label ?? "value";
  if (flag.type === "boolean") return "";
  if (flag.type === "array") return ` <${label}...>`;
  return flag.preset === undefined ? ` <${label}>` : ` [${label}]`;
}

/** What every command has. */
function commonOptions({ streaming }: Command): readonly OptionWords[] {
  const formats = OUTPUT_FORMATS.filter((format) => streaming !== undefined || format !== "stream-json");
  const version = "The version of the JSON output";
  return [
    {
      flags: "--output-format <format>",
      description: "The output format",
      choices: formats,
      default: "text",
      isStrict: true,
    },
    { flags: "-j, --json", description: "Short for --output-format json" },
    {
      flags: "--envelope-version <version>",
      description: version,
      choices: ENVELOPE_VERSIONS,
      default: "2",
      isStrict: true,
    },
  ];
}
