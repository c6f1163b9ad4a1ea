// Writes the journals of some runs as fast as it is told to, as a process that runs turns does. The only argument is a `WriterOrder` of monitor-load.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { openEventJournal } from "../../dist/core/internal.js";

const { home, runs, perSecond, seconds, text } = JSON.parse(process.argv[2]);
const about = { kind: "turn", workspace: "/load", directory: "/load" };
const journals = await Promise.all(runs.map(async (run) => await openEventJournal(home, { ...about, run })));
const content = "x".repeat(text);
const startedMs = Date.now();
let written = 0;
while (written < perSecond * seconds) {
  const due = Math.min(perSecond * seconds, ((Date.now() - startedMs) * perSecond) / 1000);
  for (; written < due; written += 1) {
    const timestamp = new Date().toISOString();
    const sentAtMs = performance.timeOrigin + performance.now();
    journals[written % journals.length].add({ type: "text", timestamp, text: content, sentAtMs });
  }
  await sleep(5);
}
for (const journal of journals) journal[Symbol.dispose]();
