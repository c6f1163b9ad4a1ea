import { Readable } from "node:stream";
import { defined, SkeinError } from "../../core/internal.ts";
import type { CallContext, Command, CommandTable } from "./command.ts";
import { completeCall } from "./complete-call.ts";
import { parseParams } from "./parse-args.ts";
import { speakError, speakEvent } from "./speak-options.ts";

/** Commands that speak a protocol of their own on the standard streams, which they cannot share. */
const OWN_STREAMS: readonly string[] = ["rpc", "mcp"];

export async function findCalled({ list, load }: CommandTable, name: string): Promise<Command> {
  if (list.some((command) => command.name === name) && !OWN_STREAMS.includes(name)) return await load(name);
  throw new SkeinError(`There is no command ${JSON.stringify(name)}`, {
    kind: "command_not_found",
    target: name,
    hint: "The schema command lists all of them.",
  });
}

/** Runs a command for a program in this process: it prints nothing, reads nothing and asks nobody. */
export async function callCommand(
  command: Command,
  params: Readonly<Record<string, unknown>>,
  context: Omit<CallContext, "format" | "stdin" | "print">,
): Promise<object> {
  const { env, commands, confinement, configure, signal, notice } = context;
  const speak = speakEvent(command, "fields");
  try {
    const { args, configuration } = await completeCall(command, parseParams(command, params), context);
    signal.throwIfAborted();
    return await command.run(args, {
      format: "stream-json",
      stdin: Readable.from([]),
      env,
      commands,
      ...defined({ confinement, configure, configuration }),
      signal,
      print: async () => {},
      emit: command.streaming === undefined ? async () => {} : (event) => context.emit(speak(event)),
      notice,
    });
  } catch (error) {
    throw error instanceof SkeinError ? speakError(command, "fields", error) : error;
  }
}
