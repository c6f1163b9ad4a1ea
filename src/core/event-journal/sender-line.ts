import { z } from "zod";
import { ProcessIdentitySchema } from "../process-identity.ts";
import { RunId } from "./run-record.ts";

/** A line of what a process tells a monitor. What a journal holds is only named: the monitor reads it there. */
export const SenderLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), version: z.literal(1), process: ProcessIdentitySchema }),
  z.object({ type: z.literal("written"), run: RunId, line: z.int().positive() }),
  z.object({ type: z.literal("delta"), run: RunId, line: z.int().positive(), event: z.looseObject({}) }),
  z.object({ type: z.literal("reply"), id: z.int().nonnegative(), error: z.looseObject({}).exactOptional() }),
]);

export type SenderLine = Readonly<z.infer<typeof SenderLine>>;
