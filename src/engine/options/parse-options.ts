import { inspect } from "node:util";
import { z } from "zod";
import { ClaudeConfigError, ownValue } from "../../core/internal.ts";
import { optionsSchema, type ClaudeOptions } from "./claude-options.ts";
import { findConflict } from "./option-conflicts.ts";

/** What others call options that have another name here, so that the hint can lead there. */
const OTHER_NAMES: Readonly<Record<string, keyof ClaudeOptions>> = {
  abortController: "signal",
  addDirs: "additionalDirectories",
  add_dirs: "additionalDirectories",
  allowDangerouslySkipPermissions: "permissionMode",
  appendSystemPrompt: "systemPrompt",
  continueConversation: "continue",
  continue_conversation: "continue",
  debug: "debugFile",
  maxBudgetUsd: "maxCostUsd",
  maxThinkingTokens: "thinking",
  maxTurns: "maxResponses",
  outputFormat: "outputSchema",
  output_format: "outputSchema",
  pathToClaudeCodeExecutable: "cliPath",
  timeout: "timeoutMs",
  workingDirectory: "cwd",
};

/** What an option is called here that others give another name; undefined where nobody does. */
export function otherOptionName(name: string): keyof ClaudeOptions | undefined {
  return ownValue(OTHER_NAMES, name);
}

/** Checks options from outside: the error names the option, what was given and what can work. They are not changed. */
export function parseClaudeOptions(value: unknown): ClaudeOptions {
  const parsed = optionsSchema.safeParse(value, { error: describeExpected });
  if (!parsed.success) throw toConfigError(mostExact(parsed.error.issues), value);
  // The caller's own object: a copy would lose what is more than data, such as the methods of a store.
  const options = value as ClaudeOptions;
  const conflict = findConflict(options);
  if (conflict) throw conflict;
  return options;
}

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  /** Names that nobody knows at that place; those that are known there come as `expected`. */
  readonly unknown?: readonly string[];
}

/** The first thing that is wrong. Of a union it is told by the branch that was meant: the one that came further. */
function mostExact(issues: readonly z.core.$ZodIssue[]): Finding {
  const [issue] = issues as readonly [z.core.$ZodIssue];
  if (issue.code === "unrecognized_keys") return { path: issue.path, expected: issue.message, unknown: issue.keys };
  if (issue.code === "invalid_key") return { path: issue.path, expected: mostExact(issue.issues).expected };
  const finding = { path: issue.path, expected: issue.message };
  if (issue.code !== "invalid_union") return finding;
  const inner = issue.errors.map(mostExact).find(({ path, unknown }) => path.length > 0 || unknown !== undefined);
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : finding;
}

function toConfigError({ path, expected, unknown }: Finding, value: unknown): ClaudeConfigError {
  if (unknown) return unknownName(path, unknown[0] ?? "", expected.split(" "));
  const given = describeGiven(value, path);
  const [option, target] = path.length > 0 ? [String(path[0]), placeOf(path)] : [];
  const message = target ? `${target} is ${given}; it must be` : `The options are ${given}; they must be`;
  return new ClaudeConfigError(`${message} ${expected}`, { option, target });
}

function unknownName(path: readonly PropertyKey[], name: string, known: readonly string[]): ClaudeConfigError {
  const other = path.length === 0 ? otherOptionName(name) : undefined;
  const meant = other !== undefined && known.includes(other) ? other : nearestName(name, known);
  const message = path.length === 0 ? `There is no option ${name}` : `${placeOf(path)} has no field ${name}`;
  const hint = meant ? `Did you mean ${meant}?` : "docs/guide/running-agents.md lists the options.";
  const target = placeOf([...path, name]);
  return new ClaudeConfigError(message, { option: String(path[0] ?? name), target, hint });
}

/** A place as one writes it in code: `agents.helper.tools[1]`. */
function placeOf([option, ...rest]: readonly PropertyKey[]): string {
  return rest.reduce<string>(
    (place, part) => (typeof part === "number" ? `${place}[${part}]` : `${place}.${String(part)}`),
    String(option),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a finite number",
  object: "an object",
  record: "a plain object",
  string: "a string",
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Says what Zod expected, as the end of a sentence that begins with "it has to be". */
function describeExpected(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return oneOf(issue.values);
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return `at most ${String(issue.maximum)}`;
    case "invalid_format":
      return issue.format === "guid" ? "a UUID" : issue.format;
    case "invalid_union":
      // Without options it is a union that says itself what it expects.
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case "unrecognized_keys":
      // Not a sentence: the names that are known there, from which the parser takes the nearest.
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(" ") : "";
    default:
      return undefined;
  }
}

function tooSmall({ origin, minimum, inclusive }: Extract<RawIssue, { code: "too_small" }>): string {
  if (origin === "string" || origin === "array") return "non-empty";
  return inclusive ? `at least ${String(minimum)}` : `above ${String(minimum)}`;
}

function oneOf(values: readonly unknown[]): string {
  const words = values.filter((value) => value !== undefined).map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(", ")}`;
}

/** Fields that may hold secrets: what is in them is told by its type alone. */
const SECRET_FIELDS: readonly PropertyKey[] = [
  "env",
  "headers",
  "settings",
  "managedSettings",
  "extraArgs",
  "executableArgs",
  "credentials",
];

/** What a caller gave at a place: a plain value as it is, but short; anything else, and secrets, by kind alone. */
export function describeGiven(value: unknown, path: readonly PropertyKey[]): string {
  const given = valueAt(value, path);
  if (given === undefined) return "missing";
  if (Array.isArray(given)) return "a list";
  if (typeof given === "function") return "a function";
  if (typeof given === "object" && given !== null) return "an object";
  if (given !== null && path.some((part) => SECRET_FIELDS.includes(part))) return `of type ${typeof given}`;
  return inspect(given, { maxStringLength: 80 });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );
}

/** The known name that was probably meant; undefined where none is near. Case and underscores count for nothing. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = normal(name);
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, normal(candidate)) }))
    .toSorted((one, other) => one.distance - other.distance);
  const isNear = best && best.distance < wanted.length && best.distance <= Math.max(2, wanted.length / 3);
  return isNear ? best.candidate : undefined;
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Levenshtein's, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const change = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The options that can be said for one turn. The others belong to the conversation: where it is, what it is made with. */
export const TURN_OPTIONS = [
  "model",
  "effort",
  "permissionMode",
  "tools",
  "allowedTools",
  "disallowedTools",
  "maxResponses",
  "maxTokens",
  "maxCostUsd",
  "timeoutMs",
  "idleTimeoutMs",
  "deadline",
  "memoryLimitMb",
  "maxProcesses",
  "maxDiskBytes",
  "graceMs",
  "signal",
] as const satisfies readonly (keyof ClaudeOptions)[];

/** Options that say where a turn starts, or what a new session is: a turn that is gone on with has started already. */
export const STARTING_POINTS = [
  "continue",
  "forkSession",
  "resumeSessionAt",
  "resumeDropsTurn",
  "sessionId",
  "title",
] as const satisfies readonly (keyof ClaudeOptions)[];

/** What can be said for one turn, over what holds for the conversation. */
export type TurnOptions = Pick<ClaudeOptions, (typeof TURN_OPTIONS)[number]>;

/** Checks the options of a turn; `others` are names that its caller takes besides. What nobody knows is refused, not dropped. */
export function parseTurnOptions(options: object, others: readonly string[] = []): void {
  const known: readonly string[] = [...TURN_OPTIONS, ...others];
  const turn = Object.entries(options).filter(([name]) => !others.includes(name));
  for (const [name] of turn) {
    if (known.includes(name)) continue;
    if (!Object.hasOwn(optionsSchema.shape, name)) throw unknownName([], name, known);
    throw new ClaudeConfigError(`${name} cannot be set for a single turn`, {
      option: name,
      target: name,
      hint: "Set it when you open the conversation.",
    });
  }
  parseClaudeOptions(Object.fromEntries(turn));
}
