export { AsyncQueue } from "./async-queue.ts";
export { Budget } from "./budget.ts";
export { BudgetTracker, type BudgetDimension, type BudgetEnd, type Consumption } from "./budget-tracker.ts";
export { claudeHome } from "./claude-home.ts";
export { isoTime, systemClock, type Clock } from "./clock.ts";
export { dataHome } from "./data-home.ts";
export { defineEvent, type DefinedEvent, type EventContext, type EventKind } from "./define-event.ts";
export { drain } from "./drain.ts";
export { ERROR_KINDS, type ErrorKind } from "./error-kind.ts";
export { ApiError } from "./errors/api-error.ts";
export { ClaudeAuthError } from "./errors/claude-auth-error.ts";
export { ClaudeConfigError } from "./errors/claude-config-error.ts";
export { ClaudeNotFoundError } from "./errors/claude-not-found-error.ts";
export { ClaudeTimeoutError, type TimeoutReason } from "./errors/claude-timeout-error.ts";
export { InvalidModelError } from "./errors/invalid-model-error.ts";
export { NetworkError } from "./errors/network-error.ts";
export { ProcessError } from "./errors/process-error.ts";
export { QuotaExceededError } from "./errors/quota-exceeded-error.ts";
export { RateLimitError } from "./errors/rate-limit-error.ts";
export { ResourceExhaustionError } from "./errors/resource-exhaustion-error.ts";
export { SessionCorruptedError } from "./errors/session-corrupted-error.ts";
export { createEventBus, type EventBus } from "./event-bus.ts";
export { createEventCollector, type EventCollector, type EventSummary } from "./event-collector.ts";
export { errorsOnly, isEvent, resultsOnly, toolActivity, type FailedTurnEndEvent } from "./event-guards.ts";
export { eventSchema } from "./event-schema.ts";
export type {
  CustomEvent,
  ErrorEvent,
  PermissionDenial,
  SignatureDeltaEvent,
  SkeinEvent,
  StateRecordedEvent,
  StatusEvent,
  TextDeltaEvent,
  TextEvent,
  ThinkingDeltaEvent,
  ThinkingEvent,
  ToolEndEvent,
  ToolInputDeltaEvent,
  ToolStartEvent,
  TurnEndEvent,
  TurnResult,
  TurnStartEvent,
  UnknownEvent,
} from "./event.ts";
export { failedResult } from "./failed-result.ts";
export { filterEvents } from "./filter-events.ts";
export { handleEvents, type EventCallback, type EventCallbacks } from "./handle-events.ts";
export { createId } from "./ids.ts";
export { isInside } from "./is-inside.ts";
export { formatJsonl, parseJsonl, splitJsonl, type JsonlLine, type JsonlRecord } from "./jsonl.ts";
export { microUsd, sumMicroUsd, toUsd, type MicroUsd } from "./money.ts";
export { emptyRecord, ownValue } from "./own-value.ts";
export { parseEvent } from "./parse-event.ts";
export { PRIVATE_FILE, PRIVATE_FOLDER } from "./private-files.ts";
export { enterPrivate, privateView, usePrivateDirectory, type ShownDirectory } from "./private-directory.ts";
export { enterShown, findShown, hostPath, inSightOf, toAgent, toHost, type SeenDirectory } from "./shown-directory.ts";
export { closeFolders, findOpenFolders } from "./open-folders.ts";
export { findPrices, PRICE_TABLE, type ModelPrice, type ModelPrices, type PriceTable } from "./price-table.ts";
export {
  describeProcess,
  identify,
  isElsewhere,
  isRunning,
  parseProcessIdentity,
  ProcessIdentitySchema,
  type ProcessIdentity,
} from "./process-identity.ts";
export { API_CREDENTIALS, API_PROVIDERS, isProviderVariable, providerVariables } from "./secrets/api-variables.ts";
export { SECRET_PATTERNS, type SecretPattern } from "./secrets/secret-patterns.ts";
export { secretPlaces, SYSTEM_SECRETS, type SecretPlacesOptions } from "./secrets/secret-places.ts";
export { isSecretName, isSecretValue, secretVariables } from "./secrets/secret-variables.ts";
export { SkeinError, toSkeinError, type ErrorRecord, type SkeinErrorOptions } from "./skein-error.ts";
export { checkTextPath } from "./text-path.ts";
export { addUsage, inputTokensOf, NO_USAGE, tokensOf, type ModelUsage, type Usage } from "./usage.ts";
export { defined } from "./defined.ts";
