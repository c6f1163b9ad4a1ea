import type { Socket } from "node:net";
import { z } from "zod";
import { systemClock, type Clock } from "../clock.ts";
import { ProcessIdentitySchema, identify } from "../process-identity.ts";
import { RunId } from "./run-record.ts";
import { readServerFile } from "./server-file.ts";

/** A line of what a process tells a monitor. What a journal holds is only named: the monitor reads it there. */
export const SenderLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), version: z.literal(1), process: ProcessIdentitySchema }),
  z.object({ type: z.literal("written"), run: RunId, line: z.int().positive() }),
  z.object({ type: z.literal("delta"), run: RunId, line: z.int().positive(), event: z.looseObject({}) }),
]);

export type SenderLine = Readonly<z.infer<typeof SenderLine>>;

/** Tells a monitor what happens, where one runs. Nobody waits for it, and nothing fails where there is none. */
export interface EventSender {
  /** The journal of a run has this line now. */
  written(run: string, line: number): void;
  /** A piece of something that is being written, which no journal keeps; `line` is the last one before it. */
  delta(run: string, line: number, event: object): void;
  /** Lets go of the monitor. */
  close(): void;
}

/** A monitor is looked for once in this time at most. */
const LOOK_EVERY_MS = 1000;

/** What a monitor that is slow has not taken yet; more is dropped, and it finds what it missed in the journals. */
const MOST_WAITING_BYTES = 1024 ** 2;

const senders = new Map<string, EventSender>();

/** The sender of this process for a data folder: all runs share it. */
export function senderOf(dataHome: string): EventSender {
  const known = senders.get(dataHome);
  if (known) return known;
  const made = createEventSender(dataHome);
  senders.set(dataHome, made);
  return made;
}

export function createEventSender(dataHome: string, clock: Clock = systemClock): EventSender {
  let socket: Socket | undefined;
  let isLooking = false;
  let isClosed = false;
  let lookedAtMs = -Infinity;

  async function look(): Promise<void> {
    const server = await readServerFile(dataHome);
    if (!server || isClosed) return;
    const { connect } = await import("node:net");
    const hello = await identify(process.pid);
    const made = connect(server.socket);
    // A run that has ended is not held up by whoever listens to it.
    made.unref();
    made.on("error", () => made.destroy());
    made.on("close", () => {
      if (socket === made) socket = undefined;
    });
    made.on("connect", () => {
      if (isClosed) return void made.destroy();
      socket = made;
      if (hello) write({ type: "hello", version: 1, process: hello });
    });
    made.resume();
  }

  function write(line: SenderLine): void {
    if (!socket || socket.writableLength > MOST_WAITING_BYTES) return;
    socket.write(`${JSON.stringify(line)}\n`);
  }

  function tell(line: SenderLine): void {
    if (socket) return write(line);
    if (isLooking || isClosed || clock.now() - lookedAtMs < LOOK_EVERY_MS) return;
    isLooking = true;
    lookedAtMs = clock.now();
    look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }

  return {
    written: (run, line) => tell({ type: "written", run, line }),
    delta: (run, line, event) => tell({ type: "delta", run, line, event: event as Record<string, unknown> }),
    close() {
      isClosed = true;
      socket?.destroy();
    },
  };
}
