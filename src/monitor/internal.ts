// What other rooms use of this one; users have `index.ts`.
export { withTelemetry } from "./telemetry/with-telemetry.ts";
export { DEFAULT_PORT } from "./default-port.ts";
export { type MonitorOptions, startMonitor } from "./monitor.ts";
