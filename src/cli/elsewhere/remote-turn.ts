import { createInterface } from "node:readline";
import { z } from "zod";
import { parseEvent, SkeinError } from "../../core/index.ts";
import { CommandError } from "../command-error.ts";
import type { CommandContext } from "../command-context.ts";
import { createRpcClient, type RpcClient } from "../rpc/rpc-client.ts";
import { endOf, hostError, startOnHost, type SshTarget } from "./ssh-target.ts";
import type { SshPlace } from "./ssh-exchange.ts";
import { TurnData } from "../turn/turn-data.ts";
import { createTurnView } from "../turn/turn-view.ts";

/** A turn to run on another machine. */
export interface RemoteTurn {
  /** How Skein is called there: words for the shell. */
  readonly command: string;
  /** The state that it begins from, which was sent there. */
  readonly stateId: string;
  /** What `run` is given. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a turn came to; one that failed has data too, where it was recorded. */
export interface RemoteOutcome {
  readonly turn: TurnData;
  readonly error?: CommandError;
}

/** Runs a turn in a place on another machine by the Skein there: fetches the state, restores it, runs, and gives what it led to. */
export async function runRemoteTurn(
  place: SshPlace,
  { command, stateId, params }: RemoteTurn,
  context: CommandContext,
): Promise<RemoteOutcome> {
  const { directory: cwd, exchange: remote } = place;
  const { signal } = context;
  await using skein = startRemoteSkein(place.target, command, context.notice);
  await passingRejections(skein.call("pull", { remote, cwd }, { signal }));
  await skein.call("restore", { state: stateId, cwd }, { signal });
  const view = createTurnView(context);
  view.begin();
  const onEvent = async (event: unknown): Promise<void> => {
    await context.emit(event);
    await view.show(parseEvent(event));
  };
  const outcome = await skein
    .call("run", { ...params, cwd }, { signal, onEvent })
    .then(readTurn, recordedFailure)
    .finally(() => view.end());
  await passingRejections(skein.call("push", { remote, cwd }));
  return outcome;
}

/** What another machine calls a state or a conversation becomes part of names here. */
const RemoteTurnData = TurnData.extend({
  state_id: z
    .string()
    .regex(/^[0-9a-f]{40}$/u)
    .nullable(),
  conversation_id: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,99}$/u)
    .nullable(),
});

function readTurn(data: unknown): RemoteOutcome {
  const { data: turn, error } = RemoteTurnData.safeParse(data);
  if (turn) return { turn };
  throw new SkeinError("The Skein on that machine reports turns in a way this one does not understand", {
    kind: "parse",
    hint: "Install the same version on both machines.",
    cause: error,
  });
}

/** A turn that failed was recorded all the same, and its state is worth fetching. */
function recordedFailure(error: unknown): RemoteOutcome {
  const turn = error instanceof CommandError ? RemoteTurnData.safeParse(error.details["turn"]).data : undefined;
  if (turn?.state_id && error instanceof CommandError) return { turn, error };
  throw error;
}

/** Other conversations of the place may have gone on differently; whether this one arrived shows by itself. */
async function passingRejections(transfer: Promise<unknown>): Promise<void> {
  await transfer.catch((error: unknown) => {
    const rejected = error instanceof CommandError ? error.details["rejected"] : undefined;
    if (!z.array(z.unknown()).safeParse(rejected).success) throw error;
  });
}

/** A Skein on another machine that ends, with all that it runs, when the connection does. */
function startRemoteSkein(
  target: SshTarget,
  command: string,
  notice: (line: string) => void,
): RpcClient & AsyncDisposable {
  const child = startOnHost(target, `${command} rpc --abort-on-end`);
  const ended = endOf(child);
  let lastLine = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    lastLine = line;
    notice(`${target.host}: ${line}`);
  });
  const client = createRpcClient({
    output: child.stdout,
    write: (line) => void child.stdin.write(line),
    lost: async () => hostError(target, await ended, lastLine),
  });
  return {
    call: client.call,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
