import { toWire } from "../../protocol/index.ts";
import { notFound } from "../api/not-found.ts";
import type { RunSummary } from "../runs/run-data.ts";
import type { Runs } from "../runs/runs.ts";
import { sendMessage, type StreamClient } from "./client.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";

interface Known {
  readonly runs: Pick<Runs, "events" | "read">;
  /** The number of the last message. */
  readonly seq: number;
}

/** Does what a client asks for. */
export async function answerClient(message: ClientMessage, client: StreamClient, known: Known): Promise<void> {
  if (message.type === "ping") sendMessage(client, { type: "pong", seq: known.seq });
  else if (message.type === "subscribe") client.topics = new Set(message.topics);
  else await replay(message, client, known);
}

/** Lines that are read at once. */
const REPLAY_LINES = 500;

async function replay(
  { run: id, after }: ClientMessage & { readonly type: "replay" },
  client: StreamClient,
  { runs, seq }: Known,
): Promise<void> {
  const run = await runs.read(id);
  if (!run) throw notFound("run", id);
  let line = after;
  for (;;) {
    const lines = await runs.events(id, line, REPLAY_LINES);
    for (const { line: number, event } of lines) {
      if (event) sendMessage(client, eventMessage({ run, line: number, event, seq }));
    }
    line = lines.at(-1)?.line ?? line;
    if (lines.length < REPLAY_LINES) return sendMessage(client, { type: "replayed", run: id, line });
  }
}

/** An event as it is told. */
export function eventMessage({
  run: { run, workspace },
  line,
  event,
  seq,
}: {
  readonly run: RunSummary;
  readonly line: number;
  readonly event: object;
  readonly seq: number;
}): ServerMessage {
  return { type: "event", seq, run, line, workspace, event: toWire(event) as { readonly type: string } };
}
