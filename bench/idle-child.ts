import { setTimeout as sleep } from "node:timers/promises";
import { findSessions, watchTranscripts } from "skein/transcript";

const [job = "", base = ""] = process.argv.slice(2);
const POLL_MS = 500;
const SETTLE_MS = 5000;
const MEASURE_MS = 10_000;

const stop = new AbortController();
const working = job === "watch" ? watch() : look();
await sleep(SETTLE_MS);
const [before, startedMs] = [process.cpuUsage(), performance.now()];
await sleep(MEASURE_MS);
const { user, system } = process.cpuUsage(before);
const wallMs = performance.now() - startedMs;
stop.abort();
await working;
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs }));

async function watch(): Promise<void> {
  for await (const event of watchTranscripts({ base, signal: stop.signal, pollMs: POLL_MS })) {
    throw new Error(`Nothing was written, but this was told: ${event.type}`);
  }
}

async function look(): Promise<void> {
  while (!stop.signal.aborted) {
    await findSessions({ base });
    await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}
