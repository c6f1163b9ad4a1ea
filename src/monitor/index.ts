// Agents watched: what their turns come to, told to others.
export { traceEnvironment } from "./telemetry/trace-environment.ts";
export { withTelemetry, type TelemetryOptions } from "./telemetry/with-telemetry.ts";
