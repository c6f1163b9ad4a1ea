import { SkeinError, type Clock } from "../../core/internal.ts";
import { ErrorData, errorFromData } from "../../protocol/index.ts";
import type { MonitorAddress } from "./address.ts";
import { connectToRun, type RunConnection, type StreamedMessage } from "./connect-to-run.ts";
import { notSkein } from "./server-failure.ts";

/** An event as it crosses a process: its fields are in snake_case. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Asks whether the run is over, and how many lines its journal has. */
  readonly look: () => Promise<{ readonly isOver: boolean; readonly lines: number }>;
  readonly notice: (line: string) => void;
}

/** How long a server may be gone that was there. */
const PATIENCE_MS = 300_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/**
 * Tells every event of a run, from its first line to its last, each once and in order, and pieces of what is written as they come. A lost connection is made
 * anew, and nothing is missed: the lines of the journal stay the same.
 */
export async function* followRun(
  address: MonitorAddress,
  run: string,
  { signal, clock, look, notice }: FollowOptions,
): AsyncGenerator<WireEvent, void, void> {
  let line = 0;
  let lostAtMs: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      using connection = await connectToRun(address, run, signal);
      for await (const told of tellRun(connection, { run, after: line, origin: address.url.origin, look })) {
        attempt = 0;
        lostAtMs = undefined;
        line = told.line;
        if (told.event) yield told.event;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = error instanceof SkeinError && (error.kind === "network" || error.kind === "rate_limit");
      const wasThere = line > 0 || lostAtMs !== undefined;
      lostAtMs ??= clock.now();
      if (!mayPass || !wasThere || clock.now() - lostAtMs > PATIENCE_MS) throw error;
      if (attempt === 0) notice(`The connection to ${address.url.origin} was lost; trying again.`);
      await clock.sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS), signal);
    }
  }
}

interface Told {
  /** The last line that was told. */
  readonly line: number;
  readonly event: WireEvent | undefined;
}

interface Telling extends Pick<FollowOptions, "look"> {
  readonly run: string;
  readonly after: number;
  readonly origin: string;
}

/** Over one connection: what the journal has already, then what comes. It ends with the run. */
async function* tellRun(
  connection: RunConnection,
  { run, after, origin, look }: Telling,
): AsyncGenerator<Told, void, void> {
  let line = after;
  /** What happens while the lines before it are still being sent. */
  const early = new Map<number, WireEvent>();
  let isReplaying = true;
  connection.say({ type: "replay", run, after });
  for await (const message of connection.messages) {
    const { type, line: number, event } = message as StreamedMessage & { line?: number; event?: WireEvent };
    if (type === "hello" && message["version"] !== 1) throw notSkein(origin, "it is of a newer version");
    if (type === "error") throw errorOf(message, origin);
    if (type === "delta" && event && !isReplaying) yield { line, event };
    if (type === "event" && event && number !== undefined && number > line) {
      if (isReplaying && number > line + 1) early.set(number, event);
      else {
        line = number;
        yield { line, event };
        if (event.type === "run-end") return;
      }
    }
    const isCutOff = type === "run" && (message["run"] as { readonly state?: unknown }).state === "interrupted";
    if (type !== "replayed" && (isReplaying || !isCutOff)) continue;
    isReplaying = false;
    for (const [at, held] of [...early].toSorted(([left], [right]) => left - right)) {
      if (at > line) yield { line: at, event: held };
      line = Math.max(line, at);
      if (held.type === "run-end") return;
    }
    early.clear();
    line = Math.max(line, number ?? 0);
    yield { line, event: undefined };
    const found = await look();
    if (found.isOver && found.lines <= line) return;
  }
}

function errorOf(message: StreamedMessage, origin: string): SkeinError {
  const { data } = ErrorData.safeParse(message["error"]);
  return data ? errorFromData(data) : notSkein(origin, "it tells of an error in words of its own");
}
