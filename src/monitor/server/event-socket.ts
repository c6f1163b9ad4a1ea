import { chmod, mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { monitorFolder, parseJson, type ProcessIdentity, SenderLine } from "../../core/internal.ts";

/** A process that tells of its runs. */
export interface Teller {
  readonly process: ProcessIdentity;
  readonly connectedAtMs: number;
}

/** The local socket on which this machine's Skein processes tell what happens. */
export interface EventSocket extends AsyncDisposable {
  readonly path: string;
  tellers(): readonly Teller[];
}

export interface EventSocketOptions {
  readonly dataHome: string;
  readonly now: () => number;
  written(run: string, line: number): Promise<void>;
  delta(run: string, line: number, event: object): Promise<void>;
  /** A process is there, or is not any more: whatever it wrote may not have been told. */
  changed(): Promise<void>;
}

/** The kernel takes 107 bytes for a socket's address, others less. */
const LONGEST_PATH = 100;

/** A line is a line of a journal at most, and what is around it. */
const MOST_LINE_BYTES = 512 * 1024;

export async function openEventSocket(options: EventSocketOptions): Promise<EventSocket> {
  const own = join(monitorFolder(options.dataHome), "events.sock");
  // Below a long path there is none: a folder that only its owner may look into has it then.
  const isLong = Buffer.byteLength(own) > LONGEST_PATH;
  const path = isLong ? join(await mkdtemp(join(tmpdir(), "skein-monitor-")), "events.sock") : own;
  await rm(path, { force: true });
  const tellers = new Map<Socket, Teller>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      tellers.delete(socket);
      options.changed().catch(() => undefined);
    });
    listen(socket, async (line) => {
      if (line.type === "written") return await options.written(line.run, line.line);
      if (line.type === "delta") return await options.delta(line.run, line.line, line.event);
      tellers.set(socket, { process: line.process, connectedAtMs: options.now() });
      await options.changed();
    }).catch(() => socket.destroy());
  });
  server.listen(path);
  await once(server, "listening");
  await chmod(path, 0o600);
  return {
    path,
    tellers: () => [...tellers.values()],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(isLong ? dirname(path) : path, { force: true, recursive: true });
    },
  };
}

/** Hands the lines of a process on, one after the other: it is read no faster than they are dealt with. */
async function listen(socket: Socket, onLine: (line: SenderLine) => Promise<void>): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const { data } = SenderLine.safeParse(parseJson(bytes.toString("utf8", start, end)));
      if (data) await onLine(data);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MOST_LINE_BYTES) return void socket.destroy();
  }
}
