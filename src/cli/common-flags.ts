import { z } from "zod";

/** Node's timers count milliseconds in 31 bits. */
export const LONGEST_TIMEOUT_S = 2_147_483;

/** The argument that names a state. */
export const stateArgument = argument("A state id or its first characters, a checkpoint, a conversation, @ or @~2");

/** A word that has to be given. */
export function argument(description: string): z.ZodString {
  return z.string().meta({ description });
}

/** A word that may be left out. */
export function optionalArgument(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ description });
}

/** A flag that is given or not. */
export function switchFlag(description: string): z.ZodDefault<z.ZodBoolean> {
  return z.boolean().default(false).meta({ description });
}

/** A flag with a text; the label is the word for it in the help. */
export function textFlag(label: string, description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ label, description });
}

/** A flag that takes several texts. */
export function listFlag(label: string, description: string): z.ZodDefault<z.ZodArray<z.ZodString>> {
  return z.array(z.string()).default([]).meta({ label, description });
}

const count = z.coerce.number().int().positive();

/** A flag with a whole number above 0. */
export function countFlag(description: string): z.ZodOptional<typeof count> {
  return count.optional().meta({ label: "count", description });
}

/** How many are listed at most. */
export function limitFlag(most: number): z.ZodDefault<typeof count> {
  return count.default(most).meta({ label: "count", description: "List at most this many" });
}

/** A flag with an amount of money, in US dollars. */
export function amountFlag(description: string): z.ZodOptional<z.ZodCoercedNumber> {
  return z.coerce.number().positive().optional().meta({ label: "amount", description });
}

/** A flag with a time in seconds. */
export function secondsFlag(description: string): z.ZodOptional<z.ZodCoercedNumber> {
  return z.coerce.number().positive().max(LONGEST_TIMEOUT_S).optional().meta({ label: "seconds", description });
}

/** The flag that says how long a turn may take. */
export const timeoutFlag = secondsFlag("Time limit");
