import { Argument, Option, type Command as Parser } from "commander";
import type { Command } from "./define-command.ts";
import { ENVELOPE_VERSIONS } from "./envelope-version.ts";
import { flagsOf, optionOf, type Flag } from "./flags.ts";
import { OUTPUT_FORMATS } from "./output-format.ts";

/** Called with what was given to a command, unchecked. */
export type OnCommand = (given: Readonly<Record<string, unknown>>) => void;

/** Gives a command's parser the flags and arguments that the command has, and hands over what was typed. */
export function addFlags(parser: Parser, command: Command, onCommand: OnCommand): void {
  parser.allowExcessArguments(false);
  const flags = flagsOf(command);
  // All are optional to commander, so that a missing one is reported by the same code as a wrong one.
  for (const field of command.positional ?? []) {
    const flag = flags.find((candidate) => candidate.field === field);
    parser.addArgument(new Argument(`[${field}]`, flag?.description));
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

function placeOf({ field, isRequired }: Flag): string {
  return isRequired ? `<${field}>` : `[${field}]`;
}

function outputFormatOption(command: Command): Option {
  const formats = OUTPUT_FORMATS.filter((format) => command.streaming !== undefined || format !== "stream-json");
  return new Option("--output-format <format>", "The output format").choices(formats).default("text");
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  skein ${example}`).join("\n")}\n`;
}
