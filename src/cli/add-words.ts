import { Argument, type Command as Parser, Option } from "commander";

/** What commander is told of a command: data, which the build writes down, so that no command is loaded to show its help. */
export interface ParserWords {
  readonly places: readonly PlaceWords[];
  readonly options: readonly OptionWords[];
  readonly examples: readonly string[];
}

interface PlaceWords {
  readonly field: string;
  /** As the help names it among the arguments: `[session-id]`. */
  readonly name: string;
  /** As the usage shows it: `<session-id>` where it has to be given. */
  readonly usage: string;
  readonly description: string | undefined;
}

interface OptionWords {
  /** `-n, --limit <count>`. */
  readonly flags: string;
  readonly description: string | undefined;
  /** What it is without a value. */
  readonly preset?: unknown;
  readonly choices?: readonly string[];
  /** Another value than the choices is refused here, because no schema of the command's does. */
  readonly isStrict?: true;
  readonly default?: unknown;
  readonly conflicts?: readonly string[];
}

/** Gives a command's parser the flags and arguments that the command has, and hands over what was typed. */
export function addWords(
  parser: Parser,
  { places, options, examples }: ParserWords,
  onCommand: (given: Readonly<Record<string, unknown>>) => void,
): void {
  parser.allowExcessArguments(false);
  for (const { name, description } of places) parser.addArgument(new Argument(name, description));
  for (const option of options) parser.addOption(optionOf(option));
  parser.usage(["[options]", ...places.map(({ usage }) => usage)].join(" "));
  const lines = examples.map((example) => `  skein ${example}\n`).join("");
  if (lines !== "") parser.addHelpText("after", `\nExamples:\n${lines}`);
  parser.action(() => {
    const positional = places.map(({ field }, index) => [field, parser.args[index]]);
    onCommand({ ...typedOptions(parser), ...Object.fromEntries(positional) });
  });
}

/** An option of commander's. Values stay strings: the Zod schema checks them, and has the last word. */
function optionOf(words: OptionWords): Option {
  const { flags, description, preset, choices, isStrict, default: byDefault, conflicts = [] } = words;
  const option = new Option(flags, description);
  if (preset !== undefined) option.preset(preset);
  if (choices && isStrict) option.choices(choices);
  else if (choices) option.argChoices = [...choices];
  if (byDefault !== undefined) option.default(byDefault);
  if (conflicts.length > 0) option.conflicts([...conflicts]);
  return option;
}

/** What was typed, without the defaults that commander shows in the help: what was left out may be configured. */
function typedOptions(parser: Parser): object {
  const given = Object.entries(parser.opts()).filter(([name]) => parser.getOptionValueSource(name) !== "default");
  return Object.fromEntries(given);
}
