import { createInterface } from "node:readline";
import { z } from "zod";
import { parseEvent, SkeinError, type SkeinEvent } from "../../core/internal.ts";
import type { CallContext } from "../command/command.ts";
import { createRpcClient, type RpcClient } from "../rpc/rpc-client.ts";
import { endOf, hostError, startOnHost, type SshPlace, type SshTarget } from "./ssh-place.ts";
import { fromWire } from "../command/wire-keys.ts";

/** What another machine calls a state or a conversation becomes part of names here. */
const PlainIds = z.object({
  state_id: z
    .string()
    .regex(/^[0-9a-f]{40}$/u)
    .nullable(),
  conversation_id: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,99}$/u)
    .nullable(),
});
type TurnIds = Readonly<z.infer<typeof PlainIds>>;

export interface RemoteTurn<Turn extends TurnIds> {
  /** How Skein is called there: words for the shell. */
  readonly command: string;
  readonly stateId: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data: z.ZodType<Turn>;
  readonly view: { begin(): void; show(event: SkeinEvent): Promise<void>; end(): void };
}

/** What a turn came to; one that failed has data too, where it was recorded. */
type RemoteOutcome<Turn> = { readonly turn: Turn; readonly error?: SkeinError };

/** Runs a turn in a place on another machine by the Skein there: fetches the state, restores it, runs, and gives what it led to. */
export async function runRemoteTurn<Turn extends TurnIds>(
  place: SshPlace,
  { command, stateId, params, data, view }: RemoteTurn<Turn>,
  context: CallContext,
): Promise<RemoteOutcome<Turn>> {
  const { directory: cwd, exchange: remote } = place;
  const { signal } = context;
  await using skein = startRemoteSkein(place.target, command, context.notice);
  await passingRejections(skein.call("pull", { remote, cwd }, { signal }));
  await skein.call("restore", { state: stateId, cwd }, { signal });
  view.begin();
  const onEvent = async (event: unknown): Promise<void> => {
    await context.emit(event);
    await view.show(parseEvent(fromWire(event)));
  };
  const Turn = data.refine((turn) => PlainIds.safeParse(turn).success, "Its ids are none");
  const outcome = await skein
    .call("run", { ...params, cwd }, { signal, onEvent })
    .then(
      (turn) => ({ turn: readTurn(turn, Turn) }),
      (error: unknown) => recordedFailure(error, Turn),
    )
    .finally(() => view.end());
  await passingRejections(skein.call("push", { remote, cwd }));
  return outcome;
}

function readTurn<Turn>(given: unknown, data: z.ZodType<Turn>): Turn {
  const { data: turn, error } = data.safeParse(given);
  if (turn !== undefined) return turn;
  throw new SkeinError("The Skein on that machine reports turns in a way this one does not understand", {
    kind: "parse",
    hint: "Install the same version on both machines.",
    cause: error,
  });
}

/** A turn that failed was recorded all the same, and its state is worth fetching. */
function recordedFailure<Turn extends TurnIds>(error: unknown, data: z.ZodType<Turn>): RemoteOutcome<Turn> {
  if (!(error instanceof SkeinError)) throw error;
  const { data: turn } = data.safeParse(error.details["turn"]);
  if (turn?.state_id) return { turn, error };
  throw error;
}

/** Other conversations of the place may have gone on differently; whether this one arrived shows by itself. */
async function passingRejections(transfer: Promise<unknown>): Promise<void> {
  await transfer.catch((error: unknown) => {
    const rejected = error instanceof SkeinError ? error.details["rejected"] : undefined;
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
