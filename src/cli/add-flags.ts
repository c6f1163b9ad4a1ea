import { Argument, Option, type Command as Parser } from "commander";
import { type Command, ENVELOPE_VERSIONS, OUTPUT_FORMATS, flagsOf, toWords, type Flag } from "../protocol/index.ts";

/** Called with what was given to a command, unchecked. */
export type OnCommand = (given: Readonly<Record<string, unknown>>) => void;

/** Gives a command's parser the flags and arguments that the command has, and hands over what was typed. */
export function addFlags(parser: Parser, command: Command, onCommand: OnCommand): void {
  parser.allowExcessArguments(false);
  const flags = flagsOf(command);
  // All are optional to commander, so that a missing one is reported by the same code as a wrong one.
  for (const field of command.positional ?? []) {
    const flag = flags.find((candidate) => candidate.field === field);
    parser.addArgument(new Argument(`[${toWords(field)}]`, flag?.description));
  }
  for (const flag of flags) if (!flag.isPositional) parser.addOption(optionOf(flag, command.conflicts));
  parser.addOption(outputFormatOption(command));
  parser.addOption(
    new Option("--envelope-version <version>", "The version of the JSON output")
      .choices(ENVELOPE_VERSIONS)
      .default("2"),
  );
  parser.usage(["[options]", ...flags.filter(({ isPositional }) => isPositional).map(placeOf)].join(" "));
  if (command.examples) parser.addHelpText("after", examplesText(command.examples));
  parser.action(() => {
    const positional = (command.positional ?? []).map((field, index) => [field, parser.args[index]]);
    onCommand({ ...parser.opts(), ...Object.fromEntries(positional) });
  });
}

function placeOf({ field, name, isRequired }: Flag): string {
  return isRequired ? name : `[${toWords(field)}]`;
}

/** A flag as commander's option. Values stay strings: the Zod schema checks them, and has the last word. */
function optionOf(flag: Flag, conflicts: readonly string[] = []): Option {
  const option = new Option(`${flag.name}${valueOf(flag)}`, flag.description);
  if (flag.preset !== undefined) option.preset(flag.preset);
  if (flag.enum) option.argChoices = [...flag.enum];
  if (flag.default !== undefined && flag.type !== "boolean" && flag.type !== "array") option.default(flag.default);
  if (conflicts.includes(flag.field)) option.conflicts(conflicts.filter((field) => field !== flag.field));
  return option;
}

function valueOf(flag: Flag): string {
  const label = flag.label ?? "value";
  if (flag.type === "boolean") return "";
  if (flag.type === "array") return ` <${label}...>`;
  return flag.preset === undefined ? ` <${label}>` : ` [${label}]`;
}

function outputFormatOption(command: Command): Option {
  const formats = OUTPUT_FORMATS.filter((format) => command.streaming !== undefined || format !== "stream-json");
  return new Option("--output-format <format>", "The output format").choices(formats).default("text");
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  skein ${example}`).join("\n")}\n`;
}
