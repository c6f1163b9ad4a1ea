import { isNoLooser } from "../engine/internal.ts";
import { alertsPart } from "./alerts-part.ts";

/** Something that can be configured: one value of the file. */
export interface Setting {
  /** Where it stands in the file: `permissions.mode`. */
  readonly key: string;
  /** The flag that comes before it, as the commands name it: `permissionMode`. Those without one stand in files alone. */
  readonly flag?: string;
  /** What holds where nobody says anything; null where there is no limit, or nothing. */
  readonly byDefault: unknown;
  /** Whether lists of all sources are put together, instead of the first one that is there being taken. */
  readonly addsUp?: true;
  /** Whether a value lets agents do and spend no more than the one that held before. */
  tightens(value: unknown, held: unknown): boolean;
}

type Test = Setting["tightens"];

const never: Test = () => false;
const always: Test = () => true;
const lower: Test = (value, held) => held === null || (value as number) <= (held as number);
const fewer: Test = (value, held) =>
  (value as readonly unknown[]).every((item) => (held as readonly unknown[]).includes(item));
const only =
  (strict: boolean): Test =>
  (value, held) =>
    value === strict || value === held;

const stricter: Test = (value, held) => isNoLooser(value as string, held as string);

/** Nobody but the user says these. */
const ALERT_KEYS = Object.keys(alertsPart.shape);

/** All that can be configured, in the order of the file. */
export const SETTINGS: readonly Setting[] = [
  { key: "model", flag: "model", byDefault: null, tightens: never },
  { key: "fallbackModel", flag: "fallbackModel", byDefault: null, tightens: never },
  { key: "permissions.mode", flag: "permissionMode", byDefault: "acceptEdits", tightens: stricter },
  { key: "permissions.allowedTools", flag: "allowedTools", byDefault: [], tightens: fewer },
  { key: "permissions.disallowedTools", flag: "disallowedTools", byDefault: [], addsUp: true, tightens: always },
  { key: "permissions.ask", flag: "ask", byDefault: "terminal", tightens: never },
  { key: "permissions.askTimeoutSeconds", flag: "askTimeout", byDefault: null, tightens: lower },
  { key: "sandbox.isolated", flag: "isolated", byDefault: false, tightens: only(true) },
  { key: "sandbox.domains", flag: "allowDomain", byDefault: [], tightens: fewer },
  { key: "sandbox.reveal", flag: "reveal", byDefault: [], tightens: fewer },
  { key: "sandbox.allowWorktrees", flag: "allowWorktrees", byDefault: false, tightens: only(false) },
  { key: "budget.maxResponses", flag: "maxResponses", byDefault: 500, tightens: lower },
  { key: "budget.maxCostUsd", flag: "maxCostUsd", byDefault: null, tightens: lower },
  { key: "budget.maxConversationCostUsd", flag: "maxConversationCostUsd", byDefault: null, tightens: lower },
  { key: "budget.timeoutSeconds", flag: "timeout", byDefault: 7200, tightens: lower },
  { key: "budget.idleTimeoutSeconds", flag: "idleTimeout", byDefault: 300, tightens: lower },
  { key: "resilience.retry.maxRetries", flag: "retries", byDefault: 0, tightens: lower },
  { key: "resilience.retry.baseDelayMs", byDefault: null, tightens: never },
  { key: "resilience.retry.factor", byDefault: null, tightens: never },
  { key: "resilience.retry.maxDelayMs", byDefault: null, tightens: never },
  { key: "resilience.retry.jitter", byDefault: null, tightens: never },
  { key: "resilience.breaker.maxFailures", byDefault: null, tightens: lower },
  { key: "resilience.breaker.openMs", byDefault: null, tightens: never },
  { key: "resilience.breaker.neededSuccesses", byDefault: null, tightens: never },
  { key: "resilience.bulkhead.maxConcurrent", byDefault: null, tightens: lower },
  { key: "resilience.bulkhead.maxWaiting", byDefault: null, tightens: never },
  { key: "telemetry.captureContent", byDefault: false, tightens: only(false) },
  { key: "telemetry.exportFromCli", byDefault: false, tightens: only(false) },
  ...ALERT_KEYS.map((key) => ({ key: `alerts.${key}`, byDefault: null, tightens: never })),
  { key: "retention.eventDays", byDefault: 90, tightens: never },
  { key: "retention.eventCount", byDefault: 2000, tightens: never },
  { key: "retention.searchDays", byDefault: null, tightens: never },
  { key: "retention.transcriptCopyDays", byDefault: null, tightens: never },
  { key: "plugins", byDefault: [], addsUp: true, tightens: (value) => (value as readonly unknown[]).length === 0 },
];

/** The variable that comes after a flag and before the files: `SKEIN_` and the flag's name, in capitals. */
export function variableOf(flag: string): string {
  return `SKEIN_${flag.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A value of a configuration by its key; undefined where it says nothing about it. */
export function valueAt(config: unknown, key: string): unknown {
  let at = config;
  for (const part of key.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}

/** The same values as an object as deep as the file: `{"a.b": 1}` is `{ a: { b: 1 } }`. */
export function nestValues(values: Iterable<readonly [key: string, value: unknown]>): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const parts = key.split(".");
    const last = parts.pop() ?? key;
    let at = nested;
    for (const part of parts) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return nested;
}
