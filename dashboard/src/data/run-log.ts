import type { ServerMessage } from "../../../src/monitor/api-types.ts";
import { api } from "./api.ts";
import { stream } from "./live.ts";
import { grownWritings, leftWritings, type Writing } from "./writings.ts";

/** A line of a run's journal. */
export interface LogLine {
  readonly line: number;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
}

/** A run as it is watched: its lines without a gap, and what is being written after the last one. */
export interface RunLogData {
  readonly lines: readonly LogLine[];
  /** What is being written, that no line has yet: at most one of the agent's and one of each sub-agent's. */
  readonly writings: readonly Writing[];
  /** Whether all lines that were there at first have been read. */
  readonly isComplete: boolean;
  readonly error: unknown;
}

export interface RunLog {
  data(): RunLogData;
  subscribe(listener: () => void): () => void;
}

const NOTHING: RunLogData = { lines: [], writings: [], isComplete: false, error: undefined };

const PAGE_LINES = 2000;

/** A log for each run that is watched; it listens while anybody does. */
const logs = new Map<string, RunLog>();

export function runLog(run: string): RunLog {
  const log = logs.get(run) ?? createRunLog(run);
  logs.set(run, log);
  return log;
}

function createRunLog(run: string): RunLog {
  const listeners = new Set<() => void>();
  let data = NOTHING;
  let isReading = false;
  let stop: (() => void) | undefined;
  let isToldSoon = false;

  /** Many pieces may come between two pictures of the screen. */
  function change(part: Partial<RunLogData>): void {
    data = { ...data, ...part };
    if (isToldSoon) return;
    isToldSoon = true;
    requestAnimationFrame(() => {
      isToldSoon = false;
      for (const listener of listeners) listener();
    });
  }

  async function readMissing(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      for (;;) {
        const { events, last_line: last } = await api.runEvents(run, { after: lastLine(), limit: PAGE_LINES });
        take(events, last);
        if (events.length < PAGE_LINES) break;
      }
      change({ isComplete: true, error: undefined });
    } catch (error) {
      change({ error });
    } finally {
      isReading = false;
    }
  }

  /** Lines are told in order; those that were read meanwhile are known already. */
  function take(lines: readonly LogLine[], upTo: number): void {
    const after = lastLine();
    const added = lines.filter(({ line }) => line > after);
    if (added.length === 0) return;
    read = Math.max(upTo, added.at(-1)?.line ?? 0);
    change({ lines: [...data.lines, ...added], writings: leftWritings(data.writings, added) });
  }

  let read = 0;
  const lastLine = (): number => read;

  function hear(message: ServerMessage): void {
    if (message.type === "snapshot") void readMissing();
    if (message.type === "event" && message.run === run) {
      // A line that does not follow the last one: those between are read.
      if (message.line > lastLine() + 1) void readMissing();
      else take([message], message.line);
    }
    if (message.type === "delta" && message.run === run)
      change({ writings: grownWritings(data.writings, message.event) });
  }

  function start(): () => void {
    const ends = [stream.want(`run:${run}`), stream.onMessage(hear)];
    void readMissing();
    return () => {
      for (const end of ends) end();
      logs.delete(run);
    };
  }

  return {
    data: () => data,
    subscribe(listener) {
      listeners.add(listener);
      stop ??= start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
