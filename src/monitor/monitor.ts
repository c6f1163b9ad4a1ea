import type { Monitor, MonitorOptions } from "./server/start-monitor.ts";

export type { Monitor, MonitorOptions } from "./server/start-monitor.ts";

/** Starts a monitor: a server that shows what is recorded in a data folder, and what happens now. There is one for a data folder at a time. */
export async function startMonitor(options: MonitorOptions = {}): Promise<Monitor> {
  // Loaded only here: who watches nothing does without a web server.
  const { start } = await import("./server/start-monitor.ts");
  return await start(options);
}
