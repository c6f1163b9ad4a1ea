import { z } from "zod";

/** Node's timers count milliseconds in 31 bits. */
export const LONGEST_TIMEOUT_S = 2_147_483;

/** The flag that says how long a turn may take. */
export const timeoutFlag = z.coerce.number().positive().max(LONGEST_TIMEOUT_S).optional().meta({
  label: "seconds",
  description: "Time limit",
});
