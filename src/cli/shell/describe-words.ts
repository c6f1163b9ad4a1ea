import { type CommandTable, type Flag, flagsOf, OUTPUT_FORMATS, toWords } from "../../protocol/index.ts";

/** A flag as a shell has to know it. */
export interface FlagWords {
  readonly long: string;
  readonly short?: string | undefined;
  readonly description: string;
  /** Whether the word after it has to be its value. */
  readonly takesValue: boolean;
  readonly label?: string | undefined;
  readonly kind: WordKind;
  readonly choices: readonly string[];
}

/** What stands in a place: one of some words, a folder, a file, a state or checkpoint, or anything. */
export type WordKind = "choice" | "folder" | "file" | "state" | "text";

export interface PlaceWords {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly kind: WordKind;
  readonly choices: readonly string[];
}

/** A command as completion and the manual page know it, both made from the command itself. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly heading: string;
  readonly places: readonly PlaceWords[];
  readonly flags: readonly FlagWords[];
  readonly examples: readonly string[];
}

export async function describeWords({ list, load }: CommandTable): Promise<readonly CommandWords[]> {
  return await Promise.all(
    list.map(async ({ name, summary, heading = "" }) => {
      const command = await load(name);
      const flags = flagsOf(command);
      const places = (command.positional ?? []).flatMap((field) => flags.filter((flag) => flag.field === field));
      const isStreaming = command.streaming !== undefined;
      return {
        name,
        summary,
        heading,
        places: places.map((flag) => placeOf(flag, name)),
        flags: [...flags.filter(({ isPositional }) => !isPositional).map(flagOf), ...commonFlags(isStreaming)],
        examples: command.examples ?? [],
      };
    }),
  );
}

function flagOf(flag: Flag): FlagWords {
  const { name: long, short, description = "", label } = flag;
  return {
    long,
    short,
    description,
    takesValue: flag.type !== "boolean" && flag.preset === undefined,
    label,
    ...kindOf(flag),
  };
}

function placeOf(flag: Flag, command: string): PlaceWords {
  const { field, isRequired, description = "" } = flag;
  // The commands that the schema can be asked for are those of the help.
  const place = { name: toWords(field), isRequired, description };
  return command === "schema" ? { ...place, kind: "text", choices: [] } : { ...place, ...kindOf(flag) };
}

const STATES = new Set(["state", "from", "to", "left", "right", "make"]);
const FOLDERS = new Set(["directory", "folder"]);
const FILES = new Set(["file", "path", "file..."]);

function kindOf({ field, label = field, enum: choices = [] }: Flag): { kind: WordKind; choices: readonly string[] } {
  if (choices.length > 0) return { kind: "choice", choices };
  if (STATES.has(label) || (STATES.has(field) && label === field)) return { kind: "state", choices };
  if (FOLDERS.has(label)) return { kind: "folder", choices };
  return { kind: FILES.has(label) ? "file" : "text", choices };
}

function commonFlags(isStreaming: boolean): readonly FlagWords[] {
  const formats = OUTPUT_FORMATS.filter((format) => isStreaming || format !== "stream-json");
  return [
    {
      long: "--output-format",
      description: "The output format",
      takesValue: true,
      label: "format",
      kind: "choice",
      choices: formats,
    },
    {
      long: "--json",
      short: "-j",
      description: "Short for --output-format json",
      takesValue: false,
      kind: "text",
      choices: [],
    },
    { long: "--help", short: "-h", description: "Show help", takesValue: false, kind: "text", choices: [] },
  ];
}
