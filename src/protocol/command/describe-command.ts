import { z } from "zod";
import { defined, EVENTS, ownValue } from "../../core/internal.ts";
import type { Command, FlagMeta, ListedCommand } from "./command.ts";
import { asData, toWireKey } from "./wire-keys.ts";

const JsonSchemas = z.record(z.string(), z.record(z.string(), z.unknown()));

/** All that a program has to know of a command. */
export const CommandDescription = z.strictObject({
  name: z.string().describe("What is typed after `skein`, and the method of JSON-RPC"),
  summary: z.string().describe("What it does, in one line"),
  positional: z.array(z.string()).describe("The fields of its arguments that are given by their place, in order"),
  flags: z.record(z.string(), z.string()).describe("The flag of each other field: `max_turns` is `--max-turns`"),
  short_flags: z
    .record(z.string(), z.string())
    .describe("The flag of one letter that some of them have, too: `cwd` is `-C`"),
  effects: z
    .strictObject({
      changes: z
        .enum(["nothing", "adds", "replaces"])
        .describe("Whether it changes nothing, only adds, or may replace or remove"),
      is_repeatable: z.boolean().describe("Whether a second call with the same arguments changes nothing more"),
      reaches: z
        .enum(["workspace", "machine", "world"])
        .describe("How far it reaches: the workspace, this machine, or beyond"),
    })
    .describe("What it does to the world"),
  streaming: z
    .enum(["never", "on-request", "always"])
    .describe("Whether there can be lines of events before the envelope"),
  examples: z.array(z.string()).describe("Command lines that work"),
  args: z.record(z.string(), z.unknown()).describe("The JSON Schema of what it takes"),
  data: z.record(z.string(), z.unknown()).describe("The JSON Schema of what it returns"),
  has_turn_events: z.boolean().describe("Whether the events of turns are among its lines: `turn_events`"),
  events: JsonSchemas.describe("The JSON Schema of each event of its own, by its type"),
  error_details: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The JSON Schema of what its errors have beside `error_schema`; null where that is all"),
});
export type CommandDescription = z.infer<typeof CommandDescription>;

export function describeCommand(command: Command): CommandDescription {
  const flags = flagsOf(command).filter(({ isPositional }) => !isPositional);
  return {
    name: command.name,
    summary: command.summary,
    effects: asData(CommandDescription.shape.effects, command.effects),
    positional: (command.positional ?? []).map(toWireKey),
    flags: Object.fromEntries(flags.map(({ field, name }) => [toWireKey(field), name])),
    short_flags: Object.fromEntries(flags.flatMap(({ field, short }) => (short ? [[toWireKey(field), short]] : []))),
    streaming: command.streaming ?? "never",
    examples: (command.examples ?? []).map((example) => `skein ${example}`),
    args: inputSchema(command),
    data: z.toJSONSchema(command.data, { io: "output" }),
    has_turn_events: command.hasTurnEvents ?? false,
    events: describeEvents(command.events ?? []),
    error_details: command.errorDetails ? z.toJSONSchema(command.errorDetails, { io: "output" }) : null,
  };
}

/** The events of turns, as they cross a process. */
export function describeTurnEvents(): Readonly<Record<string, Record<string, unknown>>> {
  return describeEvents(EVENTS);
}

function describeEvents(schemas: readonly z.ZodObject[]): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    schemas.map((schema) => {
      const described = toWireSchema(z.toJSONSchema(schema, { io: "output" })) as Record<string, unknown>;
      const { type } = described["properties"] as { readonly type: { readonly const: string } };
      return [type.const, described];
    }),
  );
}

/** A JSON Schema with the fields in the case in which they cross a process. */
function toWireSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toWireSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]: [string, unknown]) => {
    if (key === "required") return [key, (part as readonly string[]).map(toWireKey)];
    if (key !== "properties") return [key, toWireSchema(part)];
    const fields = Object.entries(part as object).map(([field, inner]) => [toWireKey(field), toWireSchema(inner)]);
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(parts) as unknown;
}

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
  return { ...schema, properties: Object.fromEntries(properties) as object, ...defined({ required }) };
}

type InputSchema = Record<string, unknown> & { readonly properties: object; readonly required?: readonly string[] };

export interface Flag extends FlagMeta {
  readonly field: string;
  /** What is typed: `--max-turns`; an argument's place: `<session-id>`. */
  readonly name: string;
  /** What may be typed for it in one letter: `-C`. */
  readonly short?: string;
  readonly isPositional: boolean;
  readonly isRequired: boolean;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

export function flagsOf(command: Command): readonly Flag[] {
  const { properties = {}, required } = z.toJSONSchema(command.args, { io: "input" });
  return Object.entries(properties).map(([field, schema]) => {
    const property = schema as Partial<Flag>;
    const isPositional = command.positional?.includes(field) ?? false;
    const isRequired = required?.includes(field) ?? false;
    const short = isPositional ? undefined : ownValue(SHORT_FLAGS, field);
    const name = nameOf(field, { ...property, isPositional });
    return { ...property, field, name, ...defined({ short }), isPositional, isRequired };
  });
}

/** The commonest flags in one letter, the same for every command that has them. `-j` is `--json`, which all have. */
const SHORT_FLAGS: Readonly<Record<string, string>> = { cwd: "-C", continue: "-c", model: "-m", limit: "-n", n: "-n" };

/** A field as the words of a command line: `maxTurns` is `max-turns`. */
export function toWords(field: string): string {
  return field.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

function nameOf(field: string, { isPositional, type, default: byDefault }: Partial<Flag>): string {
  const words = toWords(field);
  if (isPositional) return `<${words}>`;
  return type === "boolean" && byDefault === true ? `--no-${words}` : `--${words}`;
}

/** What a flag takes, in words: `a whole number above 0`. */
export function expectedBy(flag: Flag): string {
  if (flag.enum) return `one of ${flag.enum.join(", ")}`;
  if (flag.type !== "integer" && flag.type !== "number") return `a ${flag.label ?? "text"}`;
  const kind = flag.type === "integer" ? "a whole number" : "a number";
  // Zod gives every integer the largest safe one as its maximum, which says nothing.
  const hasMaximum = flag.maximum !== undefined && flag.maximum < Number.MAX_SAFE_INTEGER;
  if (flag.minimum !== undefined && hasMaximum) return `${kind} from ${flag.minimum} to ${flag.maximum}`;
  const above = flag.exclusiveMinimum === undefined ? "" : ` above ${flag.exclusiveMinimum}`;
  return `${kind}${above}${hasMaximum ? ` up to ${flag.maximum}` : ""}`;
}
