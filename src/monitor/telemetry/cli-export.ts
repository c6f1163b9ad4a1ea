import { defined } from "../../core/internal.ts";
import type { EnvVariables } from "../../engine/internal.ts";

/** What makes the CLI export what it measures, by the variables that tell the host's own exporters where to. */
const SWITCHES = { CLAUDE_CODE_ENABLE_TELEMETRY: "1", CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1" };

/** Exporters are off in the CLI until they are named; those of the host are the ones that are meant. */
const EXPORTERS = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" };

/** The variables by which a CLI exports beside the host that it was started by; it takes the trace itself from what is active there. */
export function cliExport(host: EnvVariables): EnvVariables {
  const own = Object.entries(host).filter(([name]) => name.startsWith("OTEL_"));
  return { ...SWITCHES, ...EXPORTERS, ...defined(Object.fromEntries(own)) };
}
