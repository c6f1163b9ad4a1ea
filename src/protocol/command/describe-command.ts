import { z } from "zod";
import { defined } from "../../core/index.ts";
import type { Command, CommandEffects, ListedCommand } from "./command.ts";
import { flagsOf } from "./flags.ts";

/** A JSON Schema, of the draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** All that a program has to know of a command. */
export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  /** What it does to the world. */
  readonly effects: {
    readonly changes: CommandEffects["changes"];
    readonly is_repeatable: boolean;
    readonly reaches: CommandEffects["reaches"];
  };
  /** The fields that are given without a flag, in this order. */
  readonly positional: readonly string[];
  /** The flag of each other field: `maxTurns` is `--max-turns`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Whether there can be lines of events before the envelope. */
  readonly streaming: "never" | "on-request" | "always";
  readonly examples: readonly string[];
  /** What it takes, by field. */
  readonly args: JsonSchema;
  /** What the envelope's `data` is. */
  readonly data: JsonSchema;
}

/** Describes a command, from the object that is the command. */
export function describeCommand(command: Command): CommandDescription {
  const flags = flagsOf(command).filter(({ isPositional }) => !isPositional);
  const { changes, isRepeatable, reaches } = command.effects;
  return {
    name: command.name,
    summary: command.summary,
    effects: { changes, is_repeatable: isRepeatable, reaches },
    positional: command.positional ?? [],
    flags: Object.fromEntries(flags.map(({ field, name }) => [field, name])),
    streaming: command.streaming ?? "never",
    examples: (command.examples ?? []).map((example) => `skein ${example}`),
    args: z.toJSONSchema(command.args, { io: "input" }),
    data: z.toJSONSchema(command.data, { io: "output" }),
  };
}

/** What the list of commands shows of a command. */
export function listCommand(command: Command): ListedCommand {
  const { name, summary, heading } = command;
  const required = flagsOf(command).filter(({ isPositional, isRequired }) => isPositional && isRequired);
  const places = (command.positional ?? []).filter((field) => required.some((flag) => flag.field === field));
  return { name, summary, ...defined({ heading }), places: places.map((field) => `<${field}>`) };
}
