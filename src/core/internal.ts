// What other rooms use of this one; users have `index.ts`.
export { AsyncQueue } from "./async-queue.ts";
export { type Clock, isoTime, systemClock } from "./clock.ts";
export { drain } from "./drain.ts";
export { filterAsync } from "./filter-async.ts";
export {
  ApiError,
  ClaudeAuthError,
  ClaudeConfigError,
  ClaudeNotFoundError,
  ClaudeTimeoutError,
  ERROR_KINDS,
  errorFromRecord,
  type ErrorKind,
  type ErrorRecord,
  InvalidModelError,
  isOwnTimeLimit,
  isRetryable,
  messageOf,
  NetworkError,
  ProcessError,
  QuotaExceededError,
  RateLimitError,
  ResourceExhaustionError,
  SessionCorruptedError,
  SkeinError,
  type SkeinErrorOptions,
  toSkeinError,
} from "./errors.ts";
export { createId } from "./ids.ts";
export { createLineFile, type LineFile } from "./line-file.ts";
export { onceInProcess } from "./in-process.ts";
export { formatJsonl, type JsonlRecord, parseJson, parseJsonl, splitJsonl } from "./jsonl.ts";
export {
  bootId,
  describeProcess,
  identify,
  isElsewhere,
  isRunning,
  parseProcessIdentity,
  type ProcessIdentity,
  ProcessIdentitySchema,
} from "./process-identity.ts";
export { defined, emptyRecord, groupBy, ownValue, without } from "./records.ts";
export { createEventBus } from "./events/event-bus.ts";
export { isEvent } from "./events/event-guards.ts";
export {
  EVENTS,
  failedResult,
  parseEvent,
  type EventOf,
  type SkeinEvent,
  type TextDeltaEvent,
  type TextEvent,
  type ToolEndEvent,
  type ToolStartEvent,
  type TurnEndEvent,
  type TurnResult,
  type TurnStartEvent,
  type TurnStream,
  type UsageEvent,
} from "./events/event.ts";
export { claudeHome, dataHome, projectFolderName } from "./places/homes.ts";
export { packageRoot } from "./places/package-root.ts";
export { checkTextPath, isInside } from "./places/paths.ts";
export { closeFolders, findOpenFolders, PRIVATE_FILE, PRIVATE_FOLDER } from "./places/private-files.ts";
export { refusePlugAndPlay } from "./places/refuse-plug-and-play.ts";
export {
  enterShown,
  findShown,
  hostPath,
  inSightOf,
  type SeenDirectory,
  toAgent,
  toHost,
  enterPrivate,
  privateView,
  usePrivateDirectory,
  type ShownDirectory,
} from "./places/private-directory.ts";
export { API_CREDENTIALS, API_PROVIDERS, isProviderVariable, providerVariables } from "./secrets/api-variables.ts";
export { SECRET_PATTERNS, type SecretPattern } from "./secrets/secret-patterns.ts";
export { secretPlaces, SYSTEM_SECRETS } from "./secrets/secret-places.ts";
export { isSecretName, isSecretValue, secretVariables } from "./secrets/secret-variables.ts";
export { percentile } from "./percentile.ts";
export { BudgetTracker, type BudgetEnd, type Reservation } from "./usage/budget-tracker.ts";
export { Budget, type Amounts } from "./usage/budget.ts";
export { microUsd, type MicroUsd, sumMicroUsd, toUsd } from "./usage/money.ts";
export { findPrices, type ModelPrices, PRICE_TABLE, type PriceTable } from "./usage/price-table.ts";
export {
  addUsage,
  inputTokensOf,
  NO_USAGE,
  parseApiUsage,
  tokensOf,
  type ModelUsage,
  type Usage,
} from "./usage/usage.ts";
export {
  offlineMark,
  offlineMessageId,
  offlineName,
  scenarioOfMessage,
  type OfflineMark,
} from "./usage/offline-mark.ts";
export { webhookAddressMistake } from "./webhook-address.ts";
export { createUsageMeter, type ToldUsage } from "./usage/usage-meter.ts";
export { limitsLeft, NO_SPENDING, spendingOf, sumSpending, type Spending } from "./usage/spending.ts";
export { type EventJournal, openEventJournal } from "./event-journal/event-journal.ts";
export { Asker, type ControlHandler, ControlRequest, QuestionAnswer } from "./event-journal/control.ts";
export { type EventSender, senderOf } from "./event-journal/event-sender.ts";
export { SenderLine } from "./event-journal/sender-line.ts";
export { onLines } from "./event-journal/on-lines.ts";
export {
  eventFolder,
  JournalLine,
  journalPath,
  RUN_KIND,
  RUN_KINDS,
  type RunAbout,
  RunId,
  runOfFile,
  RunStart,
} from "./event-journal/run-record.ts";
export { monitorFolder, readServerFile, serverFilePath } from "./event-journal/server-file.ts";
export { readRetentionFile, retentionPath } from "./event-journal/retention-file.ts";
export { goingRuns, MOST_RUNS, oldJournals, removeJournals } from "./event-journal/sweep-journals.ts";
