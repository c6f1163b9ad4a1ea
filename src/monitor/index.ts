// Agents watched: what happens in them shown by a server, and what their turns come to told to others.
export { startMonitor, type Monitor, type MonitorOptions } from "./monitor.ts";
export { traceEnvironment } from "./telemetry/trace-environment.ts";
export { withTelemetry, type TelemetryOptions } from "./telemetry/with-telemetry.ts";
