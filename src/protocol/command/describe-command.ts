import { z } from "zod";
import { defined } from "../../core/index.ts";
import type { Command, CommandEffects, ListedCommand } from "./command.ts";
import { flagsOf } from "./flags.ts";
import { toWireKey } from "./wire-keys.ts";

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
  /** The flag of each other field: `max_turns` is `--max-turns`. */
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
    positional: (command.positional ?? []).map(toWireKey),
    flags: Object.fromEntries(flags.map(({ field, name }) => [toWireKey(field), name])),
    streaming: command.streaming ?? "never",
    examples: (command.examples ?? []).map((example) => `skein ${example}`),
    args: inputSchema(command),
    data: z.toJSONSchema(command.data, { io: "output" }),
  };
}

/** What the list of commands shows of a command. */
export function listCommand(command: Command): ListedCommand {
  const { name, summary, heading } = command;
  const required = flagsOf(command).filter(({ isPositional, isRequired }) => isPositional && isRequired);
  const places = (command.positional ?? []).flatMap((field) => required.find((flag) => flag.field === field) ?? []);
  return { name, summary, ...defined({ heading }), places: places.map((flag) => flag.name) };
}

/** What programs give a command, by field, in the case in which it crosses a process. */
export function inputSchema(command: Command, options: Pick<z.core.ToJSONSchemaParams, "override"> = {}): InputSchema {
  const schema = z.toJSONSchema(command.args, { ...options, io: "input" });
  const properties = Object.entries(schema.properties ?? {}).map(([field, value]) => [toWireKey(field), value]);
  const required = schema.required?.map(toWireKey);
  return { ...schema, properties: Object.fromEntries(properties) as JsonSchema, ...defined({ required }) };
}

interface InputSchema extends JsonSchema {
  readonly properties: JsonSchema;
  readonly required?: readonly string[];
}
