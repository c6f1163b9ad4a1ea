// Agents watched: what happens in them shown by a server, and what their turns come to told to others.
export {
  MonitoringIntegration,
  type CoordinationAbout,
  type MonitoringOptions,
  type QueryAbout,
} from "./integration/monitoring-integration.ts";
export type { WorkspaceBudget } from "./budgets/read-budgets.ts";
export type { ErrorMetric, Metrics, RewardMetric, ToolMetric, TurnTime } from "./metrics/metrics.ts";
export type { MetricsQuery, MetricsSummary } from "./metrics/read-metrics.ts";
export {
  startMonitor,
  type Alert,
  type AlertKind,
  type AlertSettings,
  type Monitor,
  type MonitorOptions,
  type WebhookSettings,
  type WebhookTopic,
} from "./monitor.ts";
export type { RetentionSettings } from "./retention/apply-retention.ts";
export { traceEnvironment } from "./telemetry/trace-environment.ts";
export { withTelemetry, type TelemetryOptions } from "./telemetry/with-telemetry.ts";
