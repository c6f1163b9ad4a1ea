import { z } from "zod";
import type { Command, FlagMeta } from "./command.ts";

/** One field of a command's arguments, as its JSON Schema tells it. */
export interface Flag extends FlagMeta {
  /** The field: `maxTurns`. */
  readonly field: string;
  /** What is typed: `--max-turns`; an argument's place: `<session-id>`. */
  readonly name: string;
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

interface ArgsSchema {
  readonly properties: Readonly<Record<string, Omit<Flag, "field" | "name">>>;
  readonly required?: readonly string[];
}

/** The flags of a command, read from its Zod schema. */
export function flagsOf(command: Command): readonly Flag[] {
  const schema = z.toJSONSchema(command.args, { io: "input" }) as unknown as ArgsSchema;
  return Object.entries(schema.properties).map(([field, property]) => {
    const isPositional = command.positional?.includes(field) ?? false;
    const isRequired = schema.required?.includes(field) ?? false;
    return { ...property, field, name: nameOf(field, { ...property, isPositional }), isPositional, isRequired };
  });
}

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
