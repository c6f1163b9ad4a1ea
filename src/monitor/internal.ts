// What other rooms use of this one; users have `index.ts`.
export { withTelemetry } from "./telemetry/with-telemetry.ts";
export { AlertData, toAlertData } from "./alerts/alert-data.ts";
export { DEFAULT_PORT } from "./default-port.ts";
export { type Alert, type MonitorOptions, startMonitor, testWebhooks } from "./monitor.ts";
