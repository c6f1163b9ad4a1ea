import { z } from "zod";

/** Node's timers count milliseconds in 31 bits. */
export const LONGEST_TIMEOUT_S = 2_147_483;

export const stateArgument = argument("A state id or its first characters, a checkpoint, a conversation, @ or @~2");

export function argument(description: string): z.ZodString {
  return z.string().meta({ description });
}

export function optionalArgument(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ description });
}

export function switchFlag(description: string): z.ZodDefault<z.ZodBoolean> {
  return z.boolean().default(false).meta({ description });
}

export function textFlag(label: string, description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ label, description });
}

export function listFlag(label: string, description: string): z.ZodDefault<z.ZodArray<z.ZodString>> {
  return z.array(z.string()).default([]).meta({ label, description });
}

const count = z.coerce.number().int().positive();

export function countFlag(description: string): z.ZodOptional<typeof count> {
  return count.optional().meta({ label: "count", description });
}

export function limitFlag(most: number): z.ZodDefault<typeof count> {
  return count.default(most).meta({ label: "count", description: "List at most this many" });
}

export function amountFlag(description: string): z.ZodOptional<z.ZodCoercedNumber> {
  return z.coerce.number().positive().optional().meta({ label: "amount", description });
}

export function secondsFlag(description: string): z.ZodOptional<z.ZodCoercedNumber> {
  return z.coerce.number().positive().max(LONGEST_TIMEOUT_S).optional().meta({ label: "seconds", description });
}

export const includeOfflineFlag = switchFlag("Count turns of the offline model in sums of money, by price list");

export const timeoutFlag = secondsFlag("Time limit");
