import { z } from "zod";

const times = z.int().positive().optional();

const STATUSES = [400, 401, 402, 403, 404, 413, 429, 500, 529].map((status) => z.literal(status));

/**
 * Something that goes wrong with the response it stands in. With `times` it happens that often in each
 * conversation and then the script goes on; without, it happens always.
 */
export const Fault = z.discriminatedUnion("type", [
  /** An error in the API's own shape. */
  z.strictObject({
    type: z.literal("http"),
    status: z.union(STATUSES),
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
  z.strictObject({
    type: z.literal("cut"),
    afterEvents: z.int().nonnegative(),
    /** Time for the client to read those, before the connection breaks. */
    afterMs: z.int().nonnegative().default(0),
    /** Ends the response as if it were whole, as a proxy does that loses the server behind it. */
    isQuiet: z.boolean().default(false),
    times,
  }),
  /** The stream breaks off with the API's own error event after some good ones. */
  z.strictObject({
    type: z.literal("error"),
    status: z.union(STATUSES).default(529),
    message: z.string().optional(),
    afterEvents: z.int().nonnegative().default(4),
    times,
  }),
  /** After some events nothing comes any more but pings, or deltas with no token in them, until the client gives up. */
  z.strictObject({
    type: z.literal("pings"),
    everyMs: z.int().positive().default(100),
    sends: z.enum(["ping", "empty-delta"]).default("ping"),
    afterEvents: z.int().nonnegative().default(4),
    times,
  }),
  /** An event that is not JSON is sent after some good ones. */
  z.strictObject({ type: z.literal("malformed"), afterEvents: z.int().nonnegative().default(1), times }),
  /** The text comes slowly. */
  z.strictObject({ type: z.literal("drip"), tokensPerSecond: z.number().positive(), times }),
]);

export type Fault = z.input<typeof Fault>;

/** The same with its defaults filled in. */
export type CheckedFault = z.output<typeof Fault>;
