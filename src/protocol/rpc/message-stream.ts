import { addAbortSignal } from "node:stream";
import { formatJsonl, parseJsonl, type JsonlRecord } from "../../core/internal.ts";
import type { CallContext } from "../command/command.ts";

/** Takes the standard streams for messages. In the JSON formats the messages are the command's events. */
export function openMessages(context: CallContext) {
  return {
    messages: readMessages(context),
    write: (message: unknown): Promise<void> =>
      context.format === "text" ? context.print(formatJsonl(message)) : context.emit(message),
  };
}

/** What comes in, until standard input or the command is to end. */
async function* readMessages({ stdin, signal }: CallContext): AsyncGenerator<JsonlRecord> {
  try {
    yield* parseJsonl(addAbortSignal(signal, stdin));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
