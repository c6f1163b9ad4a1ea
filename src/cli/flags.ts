import { Option } from "commander";
import { z } from "zod";
import type { Command, FlagMeta } from "./define-command.ts";

/** One field of a command's arguments, as its JSON Schema tells it. */
export interface Flag extends FlagMeta {
  /** The field: `maxTurns`. */
  readonly field: string;
  /** What is typed: `--max-turns`. */
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
  return Object.entries(schema.properties).map(([field, property]) => ({
    ...property,
    field,
    name: nameOf(field, property),
    isPositional: command.positional?.includes(field) ?? false,
    isRequired: schema.required?.includes(field) ?? false,
  }));
}

function nameOf(field: string, { type, default: byDefault }: Partial<Flag>): string {
  const words = field.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  return type === "boolean" && byDefault === true ? `--no-${words}` : `--${words}`;
}

/** A flag as commander's option. Values stay strings: the Zod schema checks them, and has the last word. */
export function optionOf(flag: Flag, conflicts: readonly string[] = []): Option {
  const option = new Option(`${flag.name}${valueOf(flag)}`, flag.description);
  if (flag.preset !== undefined) option.preset(flag.preset);
  if (flag.enum) option.argChoices = [...flag.enum];
  if (flag.default !== undefined && flag.type !== "boolean" && flag.type !== "array") option.default(flag.default);
  if (conflicts.includes(flag.field)) option.conflicts(conflicts.filter((field) => field !== flag.field));
  return option;
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

function valueOf(flag: Flag): string {
  const label = flag.label ?? "value";
  if (flag.type === "boolean") return "";
  if (flag.type === "array") return ` <${label}...>`;
  return flag.preset === undefined ? ` <${label}>` : ` [${label}]`;
}
