import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveMonitor } from "../support/monitor-client.ts";
import { loadMonitor } from "../support/monitor-load.ts";

/** `npm run load` gives a minute. */
const seconds = Number(process.env["SKEIN_LOAD_SECONDS"] ?? 8);

/** What a server may hold, whatever is written: the last messages, and what waits for slow clients. */
const MOST_MIB = 400;

it(
  "the server tells 50 clients all of 1,000 events a second in order, cuts off the one that reads nothing, and does not grow",
  { timeout: (seconds * 4 + 60) * 1000 },
  async () => {
    const home = await realpath(await mkdtemp(join(tmpdir(), "skein-load-")));
    const monitor = await serveMonitor(home);
    try {
      const figures = await loadMonitor(monitor, { home, seconds, perSecond: 1000, clients: 50 });
      const { written, told, isStalledCut, p50Ms, p99Ms, memoryMib } = figures;
      // oxlint-disable-next-line no-console -- how fast it was depends on the machine: it is told, and not judged
      console.log(
        `${seconds} s: delivered within ${p50Ms.toFixed(1)} ms (median), ${p99Ms.toFixed(1)} ms (p99; aim: 100); memory in MiB, each second (aim: flat): ${memoryMib.join(" ")}`,
      );
      for (const each of told) expect(each).toEqual(written);
      expect(isStalledCut).toBe(true);
      expect(Math.max(...memoryMib)).toBeLessThan(MOST_MIB);
    } finally {
      monitor.process.kill("SIGKILL");
      await once(monitor.process, "close");
      await rm(home, { recursive: true, force: true, maxRetries: 9 });
    }
  },
);
