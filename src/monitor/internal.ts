// What other rooms use of this one; users have `index.ts`.
export { withTelemetry } from "./telemetry/with-telemetry.ts";
