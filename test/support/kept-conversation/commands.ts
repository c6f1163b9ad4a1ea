import type fc from "fast-check";
import type { Face } from "./face.ts";
import type { KeptModel } from "./kept-model.ts";

/** Something that is done with a conversation. */
export type KeptCommand = fc.AsyncCommand<KeptModel, Face>;

/** Makes a command out of its name, when it can be given, and what it does. */
export function command(
  name: string,
  check: (model: KeptModel) => boolean,
  run: (model: KeptModel, face: Face) => Promise<void>,
): KeptCommand {
  return { check, run, toString: () => name };
}

/** Whether no turn runs and nothing is left to be read. */
export function isQuiet({ running, pending }: KeptModel): boolean {
  return running === undefined && pending.length === 0;
}
