import type { SessionOptions } from "../start-up/tool-server.ts";

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** Options that a claim can still set, or that belong to one turn. */
const CLAIMABLE = new Set<string>([
  "cwd",
  "model",
  "permissionMode",
  "additionalDirectories",
  "abortController",
  "spawnClaudeCodeProcess",
]);

/** The same for options that one spare process can serve. */
export function startUpKey(options: SessionOptions): string {
  const fixed = Object.entries(options).filter(([name, value]) => !CLAIMABLE.has(name) && value !== undefined);
  return valueKey(fixed.toSorted(([left], [right]) => left.localeCompare(right))) ?? "";
}

/** The same for values that say the same. Functions and live objects are told by identity. */
export function valueKey(given: unknown): string | undefined {
  return JSON.stringify(given, (_, value: unknown) => liveKey(value) ?? value);
}

/** What a function or a live object is told by; undefined for plain data. */
export function liveKey(value: unknown): string | undefined {
  return isLive(value) ? objectKey(value) : undefined;
}

/** What an object is told by in this process: itself. */
export function objectKey(value: object): string {
  return `#${identityOf(value)}`;
}

function isLive(value: unknown): value is object {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(value, lastIdentity);
  return lastIdentity;
}
