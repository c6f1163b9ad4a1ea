import { systemClock, type Clock } from "../clock.ts";
import { SkeinError, toSkeinError } from "../errors.ts";
import { parseJson } from "../jsonl.ts";
import { ControlRequest, type ControlHandler } from "./control.ts";
import type { SenderLine } from "./sender-line.ts";
import { createServerConnection, LOOK_EVERY_MS } from "./server-connection.ts";

/** The line between a process and a monitor, where one runs. Nobody waits for it, and nothing fails where there is none. */
export interface EventSender {
  /** The journal of a run has this line now. */
  written(run: string, line: number): void;
  /** A piece of something that is being written, which no journal keeps; `line` is the last one before it. */
  delta(run: string, line: number, event: object): void;
  /** Does what a monitor asks for one run or question, until it is let go of. While there is any, a monitor is looked for each second. */
  control(target: string, handler: ControlHandler): Disposable;
  /** Whether a monitor is there. */
  readonly isConnected: boolean;
  /** Lets go of the monitor. */
  close(): void;
}

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
  const handlers = new Map<string, ControlHandler>();
  let looking: NodeJS.Timeout | undefined;
  const server = createServerConnection(dataHome, {
    clock,
    onText: (text) => obey(ControlRequest.safeParse(parseJson(text)).data),
  });

  async function handle(request: ControlRequest): Promise<void> {
    const handler = handlers.get(request.target);
    if (!handler) throw overAlready(request.target);
    await handler(request);
  }

  /** What is asked at once is done at once: an answer is not kept waiting by an interrupt that takes its time. */
  function obey(request: ControlRequest | undefined): void {
    if (!request) return;
    const { id } = request;
    handle(request).then(
      () => server.write({ type: "reply", id }),
      (error: unknown) => server.write({ type: "reply", id, error: { ...toSkeinError(error).toJSON() } }),
    );
  }

  function tell(line: SenderLine): void {
    if (server.isConnected) server.write(line);
    else server.look();
  }

  return {
    written: (run, line) => tell({ type: "written", run, line }),
    delta: (run, line, event) => tell({ type: "delta", run, line, event: event as Record<string, unknown> }),
    control(target, handler) {
      handlers.set(target, handler);
      // A question waits in silence: a monitor that is started meanwhile is found all the same.
      looking ??= setInterval(server.look, LOOK_EVERY_MS).unref();
      return {
        [Symbol.dispose]() {
          if (handlers.get(target) === handler) handlers.delete(target);
          if (handlers.size > 0) return;
          clearInterval(looking);
          looking = undefined;
        },
      };
    },
    get isConnected() {
      return server.isConnected;
    },
    close() {
      clearInterval(looking);
      server.close();
    },
  };
}

/** What it asked for is over: the run has ended, or the question is closed. */
function overAlready(target: string): SkeinError {
  return new SkeinError("It is over: there is nothing to do any more", { kind: "conflict", target });
}
