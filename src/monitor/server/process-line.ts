import type { Socket } from "node:net";
import {
  errorFromRecord,
  SkeinError,
  toSkeinError,
  type Clock,
  type ControlRequest,
  type ErrorRecord,
  type ProcessIdentity,
} from "../../core/internal.ts";

/** What is asked of a process; the line numbers it. */
export type Wanted = ControlRequest extends infer Request
  ? Request extends ControlRequest
    ? Omit<Request, "id">
    : never
  : never;

/** The line to one process. */
export interface ProcessLine {
  /** Asks it to do something, and waits until it has, or says why not. */
  request(wanted: Wanted): Promise<void>;
  replied(reply: { readonly id: number; readonly error?: unknown }): void;
  close(): void;
}

/** A process that hangs is not waited for any longer. */
const REPLIES_WITHIN_MS = 10_000;

/** What a process has not replied to yet; more is not asked of it. */
const MOST_WAITING = 64;

export function createProcessLine(socket: Socket, clock: Clock): ProcessLine {
  const waiting = new Map<number, (error: SkeinError | undefined) => void>();
  let last = 0;
  return {
    async request(wanted) {
      if (waiting.size >= MOST_WAITING) throw silent("has not replied to what it was asked before");
      const id = (last += 1);
      const replied = new AbortController();
      const reply = new Promise<SkeinError | undefined>((resolve) => waiting.set(id, resolve));
      const late = clock.sleep(REPLIES_WITHIN_MS, replied.signal).then(
        () => silent("did not reply in time"),
        () => undefined,
      );
      socket.write(`${JSON.stringify({ ...wanted, id })}\n`);
      try {
        const error = await Promise.race([reply, late]);
        if (error) throw error;
      } finally {
        waiting.delete(id);
        replied.abort();
      }
    },
    replied({ id, error }) {
      waiting.get(id)?.(error === undefined ? undefined : refusal(error));
    },
    close() {
      socket.destroy();
      for (const resolve of waiting.values()) resolve(silent("is gone"));
    },
  };
}

/** What a process says is data: it may be of any version. */
function refusal(error: unknown): SkeinError {
  try {
    return errorFromRecord(error as ErrorRecord);
  } catch (cause) {
    return toSkeinError(cause);
  }
}

function silent(what: string): SkeinError {
  return new SkeinError(`The process of the run ${what}`, { kind: "timeout", retryable: true });
}

/** What is said where a process has no line to this server. */
export function unreachable({ pid }: ProcessIdentity): SkeinError {
  return new SkeinError(`The process ${pid} cannot be reached`, {
    kind: "timeout",
    target: String(pid),
    retryable: true,
    hint: "It looks for the server once a second; one of another container cannot find it",
  });
}
