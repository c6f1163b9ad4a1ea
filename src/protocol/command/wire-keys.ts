/** Fields whose values are not Skein's: messages of the SDK, what tools take and give, and what a caller defined. */
const KEPT_WHOLE: ReadonlySet<string> = new Set(["raw", "input", "output", "structuredOutput", "data", "metadata"]);

/** Fields whose keys are names, such as those of models. */
const KEYED_BY_NAME: ReadonlySet<string> = new Set(["usageByModel"]);

/** A key as it crosses a process: `sessionId` is `session_id`. */
export function toWireKey(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** A key as the library has it: `session_id` is `sessionId`. */
export function fromWireKey(key: string): string {
  return key.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Skein's own record, such as an event, as it crosses a process. */
export function toWire(value: unknown): unknown {
  return rename(value, toWireKey);
}

/** A record of Skein's from another process, as the library has it. */
export function fromWire(value: unknown): unknown {
  return rename(value, fromWireKey);
}

function rename(value: unknown, toKey: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, toKey));
  if (typeof value !== "object" || value === null) return value;
  const renamed = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    const field = fromWireKey(key);
    if (KEPT_WHOLE.has(field)) return [toKey(key), inner];
    if (KEYED_BY_NAME.has(field)) return [toKey(key), renameValues(inner, toKey)];
    return [toKey(key), rename(inner, toKey)];
  });
  return Object.fromEntries(renamed) as unknown;
}

function renameValues(named: unknown, toKey: (key: string) => string): unknown {
  return Object.fromEntries(Object.entries(named ?? {}).map(([name, value]) => [name, rename(value, toKey)]));
}
