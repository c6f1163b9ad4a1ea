import { z } from "zod";

const times = z.int().positive().optional();

/**
 * Something that goes wrong with the response it stands in. With `times` it happens that often in each
 * conversation and then the script goes on; without, it happens always.
 */
export const Fault = z.discriminatedUnion("type", [
  /** An error in the API's own shape. */
  z.strictObject({
    type: z.literal("http"),
    status: z.union([400, 401, 403, 404, 413, 429, 500, 529].map((status) => z.literal(status))),
    message: z.string().optional(),
    /** Sent as `retry-after`, in seconds. */
    retryAfterS: z.number().nonnegative().optional(),
    times,
  }),
  /** The connection is reset before any answer. */
  z.strictObject({ type: z.literal("reset"), times }),
  /** The connection is reset, and new ones are refused for a while, as if the host were down. */
  z.strictObject({ type: z.literal("refuse"), forMs: z.int().positive().default(1000), times }),
  /** The stream stays open and silent after some events. */
  z.strictObject({ type: z.literal("stall"), afterEvents: z.int().nonnegative().default(0), times }),
  /** The connection breaks after some events of the stream. */
  z.strictObject({ type: z.literal("cut"), afterEvents: z.int().nonnegative(), times }),
  /** An event that is not JSON is sent after some good ones. */
  z.strictObject({ type: z.literal("malformed"), afterEvents: z.int().nonnegative().default(1), times }),
  /** The text comes slowly. */
  z.strictObject({ type: z.literal("drip"), tokensPerSecond: z.number().positive(), times }),
]);

/** Something that goes wrong with a response. */
export type Fault = z.input<typeof Fault>;

/** The same with its defaults filled in. */
export type CheckedFault = z.output<typeof Fault>;
