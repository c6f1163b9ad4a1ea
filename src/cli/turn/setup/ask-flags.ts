import { z } from "zod";
import { secondsFlag } from "../../common-flags.ts";

/** The flags that say who decides about calls that no rule allows. */
export const askFlags = {
  ask: z.enum(["terminal", "remote"]).default("terminal").meta({
    label: "where",
    description:
      "Who decides about calls that no rule allows: the person at the terminal, or whoever uses `skein serve`",
    setting: "permissions.ask",
  }),
  askTimeout: secondsFlag(
    "Deny a call that nobody has decided about after this long (default: an hour with --ask remote, never at the terminal)",
  ).meta({ setting: "permissions.askTimeoutSeconds" }),
} as const;

export type AskFlags = z.infer<z.ZodObject<typeof askFlags>>;
