import { addAbortSignal } from "node:stream";
import { formatJsonl, parseJsonl, type JsonlRecord } from "../../core/index.ts";
import type { CallContext } from "../command/command.ts";

export interface MessageStream {
  /** What comes in, until standard input or the command is to end. */
  readonly messages: AsyncIterable<JsonlRecord>;
  write(message: unknown): Promise<void>;
}

/** Takes the standard streams for messages. In the JSON formats the messages are the command's events. */
export function openMessages(context: CallContext): MessageStream {
  return {
    messages: readMessages(context),
    write: (message) => (context.format === "text" ? context.print(formatJsonl(message)) : context.emit(message)),
  };
}

async function* readMessages({ stdin, signal }: CallContext): AsyncGenerator<JsonlRecord> {
  try {
    yield* parseJsonl(addAbortSignal(signal, stdin));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
