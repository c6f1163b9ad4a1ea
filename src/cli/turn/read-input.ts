import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandContext } from "../define-command.ts";

/** All that is on standard input, for as long as the command is to run. */
export async function readInput({ stdin, signal }: Pick<CommandContext, "stdin" | "signal">): Promise<string> {
  try {
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
