import type { AlertSettings } from "./alerts/alert-settings.ts";
import type { WebhookTest } from "./alerts/test-webhooks.ts";
import type { Monitor, MonitorOptions } from "./server/start-monitor.ts";

export type { Alert, AlertKind } from "./alerts/alert-data.ts";
export type { AlertSettings, WebhookSettings, WebhookTopic } from "./alerts/alert-settings.ts";
export type { Monitor, MonitorOptions } from "./server/start-monitor.ts";

/** Starts a monitor: a server that shows what is recorded in a data folder, and what happens now. There is one for a data folder at a time. */
export async function startMonitor(options: MonitorOptions = {}): Promise<Monitor> {
  // Loaded only here: who watches nothing does without a web server.
  const { start } = await import("./server/start-monitor.ts");
  return await start(options);
}

/** Sends a test to each webhook at once, and gives what became of it. */
export async function testWebhooks(
  settings: AlertSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly WebhookTest[]> {
  const { sendTests } = await import("./alerts/test-webhooks.ts");
  return await sendTests(settings, env);
}
