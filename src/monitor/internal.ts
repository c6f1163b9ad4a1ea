// What other rooms use of this one; users have `index.ts`.
export { withTelemetry } from "./telemetry/with-telemetry.ts";
export { AlertData, toAlertData } from "./alerts/alert-data.ts";
export type { WorkspaceBudget } from "./budgets/read-budgets.ts";
export { DEFAULT_PORT } from "./default-port.ts";
export { type Alert, type MonitorOptions, startMonitor, testWebhooks } from "./monitor.ts";
export { parseAddress } from "./client/address.ts";
export type { WireEvent } from "./client/follow-run.ts";
export { connectToMonitor, cutOffError, type MonitorClient } from "./client/monitor-client.ts";
export { readTokenFile, tokenPath } from "./access/token.ts";
export { RunData } from "./runs/run-data.ts";
export { applyRetention, KEPT_THINGS } from "./retention/apply-retention.ts";
