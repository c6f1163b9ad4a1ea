import { spawn } from "node:child_process";
import { once } from "node:events";
import { WebSocket } from "ws";
import { ask, type ServedMonitor } from "./monitor-client.ts";

/** How much is written, and who listens. */
export interface LoadOrder {
  readonly home: string;
  readonly seconds: number;
  readonly perSecond: number;
  readonly clients: number;
}

/** What a load has shown. */
export interface LoadFigures {
  /** Lines that each client should have been told, by run. */
  readonly written: Readonly<Record<string, number>>;
  /** What each client was told: the lines of each run, where they came whole and in order; else the first that was not. */
  readonly told: readonly Readonly<Record<string, number | string>>[];
  /** Whether the client that reads nothing was cut off. */
  readonly isStalledCut: boolean;
  /** From writing an event to a client having it, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What the server holds, each second, in MiB. */
  readonly memoryMib: readonly number[];
}

interface WriterOrder {
  readonly home: string;
  readonly runs: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /** The characters of each event's text. */
  readonly text: number;
}

/** A journal takes 4 MiB: no run is to reach that. */
const RUNS = 30;

const runId = (index: number): string => `019a9a2e-0000-7000-8000-${String(index).padStart(12, "0")}`;

/** Puts a load on a server that runs: other processes write, many listen, and one of them reads nothing. */
export async function loadMonitor(monitor: ServedMonitor, order: LoadOrder): Promise<LoadFigures> {
  const { home, seconds, perSecond } = order;
  const runs = Array.from({ length: RUNS }, (_, index) => runId(index));
  const bulky = Array.from({ length: 8 }, (_, index) => runId(1000 + index));
  const listeners = await Promise.all(Array.from({ length: order.clients }, () => listen(monitor, runs)));
  const stalled = await open(monitor, bulky);
  stalled.pause();
  const memory = watchMemory(monitor);
  await Promise.all([
    write({ home, runs, perSecond, seconds, text: 100 }),
    // 3 MB a second for the one that reads nothing, and for nobody else.
    write({ home, runs: bulky, perSecond: 30, seconds: Math.min(seconds, 10), text: 100_000 }),
  ]);
  const written = Object.fromEntries(runs.map((run, index) => [run, 2 + share(perSecond * seconds, index)]));
  await Promise.all(listeners.map(async (each) => await each.until(written)));
  const memoryMib = await memory();
  const { stream } = (await ask(`${monitor.url}/api/health`, monitor)).json as { stream: { clients: number } };
  const latencies = Float64Array.from(listeners.flatMap((each) => each.latencies)).toSorted();
  const told = listeners.map((each) => Object.fromEntries(each.lines));
  for (const { socket } of listeners) socket.terminate();
  stalled.terminate();
  return {
    written,
    told,
    isStalledCut: stream.clients === order.clients,
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    memoryMib,
  };
}

/** How many of all events the run with this index has. */
function share(events: number, index: number): number {
  return Math.floor(events / RUNS) + (index < events % RUNS ? 1 : 0);
}

async function open(monitor: ServedMonitor, runs: readonly string[]): Promise<WebSocket> {
  const topics = runs.map((run) => `run:${run}`).join(",");
  const socket = new WebSocket(`${monitor.url.replace("http", "ws")}/api/stream?subscribe=${topics}`, {
    headers: { authorization: `Bearer ${monitor.token}` },
  });
  await once(socket, "open");
  return socket;
}

interface LoadListener {
  readonly socket: WebSocket;
  readonly lines: ReadonlyMap<string, number | string>;
  readonly latencies: readonly number[];
  /** Waits until each run has its lines, or something is out of order. */
  until(written: Readonly<Record<string, number>>): Promise<void>;
}

async function listen(monitor: ServedMonitor, runs: readonly string[]): Promise<LoadListener> {
  const socket = await open(monitor, runs);
  const lines = new Map<string, number | string>();
  const latencies: number[] = [];
  let wake = (): void => {};
  socket.on("message", (data) => {
    const now = performance.timeOrigin + performance.now();
    const { type, run, line, event } = JSON.parse((data as Buffer).toString()) as EventMessage;
    if (type !== "event") return;
    const before = lines.get(run) ?? 0;
    if (typeof before === "number") lines.set(run, line === before + 1 ? line : `${line} after ${before}`);
    if (event.sent_at_ms !== undefined) latencies.push(now - event.sent_at_ms);
    else wake();
  });
  socket.on("close", () => wake());
  const isDone = (written: Readonly<Record<string, number>>): boolean =>
    socket.readyState !== socket.OPEN ||
    Object.entries(written).every(([run, count]) => typeof lines.get(run) === "string" || lines.get(run) === count);
  return {
    socket,
    lines,
    latencies,
    until: async (written) =>
      await new Promise((resolve) => {
        wake = () => isDone(written) && resolve();
        wake();
      }),
  };
}

interface EventMessage {
  readonly type: string;
  readonly run: string;
  readonly line: number;
  readonly event: { readonly sent_at_ms?: number };
}

async function write(order: WriterOrder): Promise<void> {
  const child = spawn(process.execPath, ["test/support/journal-writer.mjs", JSON.stringify(order)], {
    env: { PATH: process.env["PATH"], SKEIN_HOME: order.home },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`The writer ended with ${code}`);
}

/** Asks the server each second what it holds, until it is told to stop. */
function watchMemory(monitor: ServedMonitor): () => Promise<readonly number[]> {
  const samples: number[] = [];
  const sample = async (): Promise<void> => {
    const { memory_bytes } = (await ask(`${monitor.url}/api/health`, monitor)).json as { memory_bytes: number };
    samples.push(Math.round(memory_bytes / 1024 ** 2));
  };
  const timer = setInterval(() => void sample().catch(() => undefined), 1000);
  return async () => {
    clearInterval(timer);
    await sample();
    return samples;
  };
}
