import { z } from "zod";
import { toWords } from "../command/flags.ts";

/** What a model may do with `skein mcp` beyond reading and isolated runs: each is a flag of the person who starts it. */
export const powerFlags = {
  allowRestore: z.boolean().default(false).meta({
    description: "Let the model name states and restore files below the root: checkpoint, restore, adopt",
  }),
  allowExplore: z.boolean().default(false).meta({
    description: "Let the model explore: the reward commands it names run as you, outside any sandbox",
  }),
  allowSessions: z.boolean().default(false).meta({
    description: "Let the model search all Claude Code sessions on this machine",
  }),
  allowUnconfined: z.boolean().default(false).meta({
    description: "Let the model run agents without isolation, in any permission mode, with your home and login",
  }),
  allowModules: z.boolean().default(false).meta({
    description: "Let the model name scenario files; one in JavaScript runs inside Skein, as you",
  }),
  allowOutside: z.boolean().default(false).meta({
    description: "Let the model name directories and files outside the root",
  }),
} as const;

/** One of them. */
export type Power = keyof typeof powerFlags;

/** Which of them were given. */
export type Powers = Readonly<Record<Power, boolean>>;

/** The flag by which a power is given: `--allow-explore`. */
export function powerFlag(power: Power): string {
  return `--${toWords(power)}`;
}
