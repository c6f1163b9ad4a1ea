import { createHash, randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isSecretName, isSecretValue, without } from "../core/internal.ts";
import type { Engine } from "./engine.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import { STARTING_POINTS } from "./options/parse-options.ts";
import type { SessionOptions } from "./options/tool-server.ts";
import { buildEnv, type EnvVariables } from "./processes/env-variables.ts";
import { bundledCliPath } from "./start-up/find-cli.ts";
import { shapeOfLive } from "./start-up/stand-ins.ts";

/** Options that do not decide what is answered: where and from what a turn starts, who listens, and by when it has to be over. */
const APART = [
  ...STARTING_POINTS,
  "cwd",
  "resume",
  "persistSession",
  "sessionStore",
  "sessionStoreFlush",
  "loadTimeoutMs",
  "signal",
  "deadline",
  "maxTokens",
  "graceMs",
  "env",
  "cliPath",
  "includePartialMessages",
  "includeHookEvents",
  "forwardSubagentText",
  "agentProgressSummaries",
  "promptSuggestions",
  "perTaskStopAffordance",
  "pluginDelivery",
  "onMessage",
  "stderr",
  "debugFile",
] satisfies readonly (keyof ClaudeOptions)[];

/** Functions and live objects mean something only in the process that made them. */
const THIS_PROCESS = randomUUID();

/** The same for turns that the CLI runs in the same way, whatever they ask: by their options, the variables that count, and the CLI itself. */
export function settingsKey(options: ClaudeOptions, host: EnvVariables = process.env): string {
  const { settings } = options;
  return hashSettings([
    without(options, APART),
    typeof settings === "string"
      ? ifThere(() => readFileSync(resolve(options.cwd ?? ".", settings), "utf8"))
      : undefined,
    telling(buildEnv(host, options.env), options.env),
    options.cliPath === undefined ? bundledVersion() : stampOf(options.cliPath),
  ]);
}

/** The settings of any engine. One that does not tell them is told by itself, so that no other is taken for it. */
export function engineSettingsKey(engine: Engine, options: ClaudeOptions = {}): string {
  return engine.settingsKey?.(options) ?? hashSettings([keyHere(engine), without(options, APART)]);
}

/** What an object is told by, in this process and no other. */
export function keyHere(value: object): string {
  return `${THIS_PROCESS} ${objectKey(value)}`;
}

/** A digest that is the same for values that say the same, in whatever order; of functions and live objects, for the very same ones alone. */
export function hashSettings(value: unknown): string {
  const sorted = JSON.stringify(value, (_, part: unknown) => {
    const live = liveKey(part);
    if (live !== undefined) return `${THIS_PROCESS} ${live}`;
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
  return createHash("sha256").update(sorted).digest("hex");
}

/** What the caller set, and what chooses the model and its endpoint. A key or token opens the same door whichever it is, and is not kept even as a digest. */
function telling(env: EnvVariables, given: EnvVariables = {}): EnvVariables {
  const counts = (name: string): boolean => Object.hasOwn(given, name) || /^(?:ANTHROPIC|CLAUDE)_/u.test(name);
  const isSecret = (name: string, value = ""): boolean => isSecretName(name) || isSecretValue(value);
  const kept = Object.entries(env).filter(([name, value]) => counts(name) && !isSecret(name, value));
  return Object.fromEntries(kept);
}

function bundledVersion(): string | undefined {
  return ifThere(() => readFileSync(join(dirname(bundledCliPath()), "package.json"), "utf8"));
}

/** A CLI of the caller's own: another file at the same path is another one. */
function stampOf(cliPath: string): readonly (string | number)[] {
  const found = ifThere(() => statSync(resolve(cliPath)));
  return found ? [resolve(cliPath), found.size, found.mtimeMs] : [cliPath];
}

/** What is not there is told by the turn that needs it. */
function ifThere<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Options that a claim can still set, that belong to one turn, or that a spare has stand-ins for. */
const CLAIMABLE = [
  "cwd",
  "model",
  "permissionMode",
  "additionalDirectories",
  "title",
  "abortController",
  "spawnClaudeCodeProcess",
  "canUseTool",
  "hooks",
  "onElicitation",
  "onUserDialog",
  "sessionStore",
  "sessionStoreFlush",
  "stderr",
] satisfies readonly (keyof SessionOptions)[];

/** The same for sessions that one and the same spare can serve: `files` tell what the CLI reads when it starts. */
export function startUpKey(options: SessionOptions, files: readonly string[] = []): string {
  return hashSettings([without(options, CLAIMABLE), shapeOfLive(options), files]);
}

/** The same for fields that say the same, in whatever order. Functions and live objects are told by identity. */
export function sortedKey(fields: object): string {
  const sorted = Object.entries(fields).toSorted(([left], [right]) => left.localeCompare(right));
  return JSON.stringify(sorted, (_, value: unknown) => liveKey(value) ?? value);
}

function liveKey(value: unknown): string | undefined {
  return isLive(value) ? objectKey(value) : undefined;
}

function isLive(value: unknown): value is object {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

const identities = new WeakMap<object, string>();
let lastIdentity = 0;

function objectKey(value: object): string {
  const key = identities.get(value) ?? `#${(lastIdentity += 1)}`;
  identities.set(value, key);
  return key;
}
