export { AsyncQueue } from "./async-queue.ts";
export type { Clock } from "./clock.ts";
export { drain } from "./drain.ts";
export {
  ApiError,
  ClaudeAuthError,
  ClaudeConfigError,
  ClaudeNotFoundError,
  ClaudeTimeoutError,
  ERROR_KINDS,
  type ErrorKind,
  type ErrorRecord,
  InvalidModelError,
  NetworkError,
  ProcessError,
  QuotaExceededError,
  RateLimitError,
  ResourceExhaustionError,
  SessionCorruptedError,
  SkeinError,
} from "./errors.ts";
export { defineEvent } from "./events/define-event.ts";
export { createEventBus, type EventBus } from "./events/event-bus.ts";
export { createEventCollector, type EventCollector } from "./events/event-collector.ts";
export { errorsOnly, filterEvents, isEvent, resultsOnly, toolActivity } from "./events/event-guards.ts";
export { parseEvent, type SkeinEvent, type TurnResult } from "./events/event.ts";
export { handleEvents, type EventCallbacks } from "./events/handle-events.ts";
export { hostPath } from "./places/private-directory.ts";
export { SECRET_PATTERNS } from "./secrets/secret-patterns.ts";
export { secretPlaces, SYSTEM_SECRETS } from "./secrets/secret-places.ts";
export { BudgetTracker } from "./usage/budget-tracker.ts";
export { Budget } from "./usage/budget.ts";
export { findPrices, type PriceTable } from "./usage/price-table.ts";
export type { Usage } from "./usage/usage.ts";
export { createUsageMeter, type UsageMeter } from "./usage/usage-meter.ts";
export { spendingOf, type Spending } from "./usage/spending.ts";
