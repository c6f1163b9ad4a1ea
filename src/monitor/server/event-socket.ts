import { chmod, mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  monitorFolder,
  onLines,
  parseJson,
  SenderLine,
  type Clock,
  type ProcessIdentity,
} from "../../core/internal.ts";
import { createProcessLine, unreachable, type ProcessLine, type Wanted } from "./process-line.ts";

/** A process that tells of its runs. */
export interface Teller {
  readonly process: ProcessIdentity;
  readonly connectedAtMs: number;
}

/** The local socket on which this machine's Skein processes tell what happens, and are asked to do something. */
export interface EventSocket extends AsyncDisposable {
  readonly path: string;
  tellers(): readonly Teller[];
  /** Asks a process to do something; its refusal is thrown. */
  request(process: ProcessIdentity, wanted: Wanted): Promise<void>;
}

export interface EventSocketOptions {
  readonly dataHome: string;
  readonly clock: Clock;
  written(run: string, line: number): Promise<void>;
  delta(run: string, line: number, event: object): Promise<void>;
  /** A process is there, or is not any more: whatever it wrote may not have been told. */
  changed(): Promise<void>;
}

/** The kernel takes 107 bytes for a socket's address, others less. */
const LONGEST_PATH = 100;

/** How long a process is waited for that has not found this server yet: it looks once a second. */
const FINDS_SERVER_MS = 3000;
const LOOK_AGAIN_MS = 50;

export async function openEventSocket(options: EventSocketOptions): Promise<EventSocket> {
  const { clock } = options;
  const own = join(monitorFolder(options.dataHome), "events.sock");
  // Below a long path there is none: a folder that only its owner may look into has it then.
  const isLong = Buffer.byteLength(own) > LONGEST_PATH;
  const path = isLong ? join(await mkdtemp(join(tmpdir(), "skein-monitor-")), "events.sock") : own;
  await rm(path, { force: true });
  const lines = new Set<ProcessLine>();
  const tellers = new Map<ProcessLine, Teller>();
  const server = createServer((socket) => {
    const line = createProcessLine(socket, clock);
    lines.add(line);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      lines.delete(line);
      tellers.delete(line);
      line.close();
      options.changed().catch(() => undefined);
    });
    onLines(socket, async (text) => {
      const { data } = SenderLine.safeParse(parseJson(text));
      if (data?.type === "written") await options.written(data.run, data.line);
      if (data?.type === "delta") await options.delta(data.run, data.line, data.event);
      if (data?.type === "reply") line.replied(data);
      if (data?.type !== "hello") return;
      tellers.set(line, { process: data.process, connectedAtMs: clock.now() });
      await options.changed();
    }).catch(() => socket.destroy());
  });
  const lineOf = ({ pid, startTime }: ProcessIdentity): ProcessLine | undefined =>
    [...tellers].find(([, { process }]) => process.pid === pid && process.startTime === startTime)?.[0];
  server.listen(path);
  await once(server, "listening");
  await chmod(path, 0o600);
  return {
    path,
    tellers: () => [...tellers.values()],
    async request(process, wanted) {
      const untilMs = clock.now() + FINDS_SERVER_MS;
      while (!lineOf(process) && clock.now() < untilMs) await clock.sleep(LOOK_AGAIN_MS);
      const line = lineOf(process);
      if (!line) throw unreachable(process);
      await line.request(wanted);
    },
    async [Symbol.asyncDispose]() {
      for (const line of lines) line.close();
      server.close();
      await rm(isLong ? dirname(path) : path, { force: true, recursive: true });
    },
  };
}
