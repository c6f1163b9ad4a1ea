import type { z } from "zod";
import { ClaudeConfigError, ownValue } from "../../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import { describeExpected } from "./describe-expected.ts";
import { describeGiven } from "./describe-given.ts";
import { nearestName } from "./nearest-name.ts";
import { findConflict } from "./option-conflicts.ts";
import { optionsSchema } from "./options-schema.ts";

/** What others call options that have another name here, so that the hint can lead there. */
const OTHER_NAMES: Readonly<Record<string, keyof ClaudeOptions>> = {
  abortController: "signal",
  addDirs: "additionalDirectories",
  add_dirs: "additionalDirectories",
  allowDangerouslySkipPermissions: "permissionMode",
  continueConversation: "continue",
  continue_conversation: "continue",
  maxThinkingTokens: "thinking",
  outputFormat: "outputSchema",
  output_format: "outputSchema",
  pathToClaudeCodeExecutable: "cliPath",
  timeout: "timeoutMs",
  workingDirectory: "cwd",
};

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

/** One thing that is wrong, and where. */
interface Finding {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  /** Names that nobody knows at that place; those that are known there come with them. */
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
  if (path.length === 0) return new ClaudeConfigError(`The options are ${given}; they must be ${expected}`);
  const target = placeOf(path);
  return new ClaudeConfigError(`${target} is ${given}; it must be ${expected}`, { option: String(path[0]), target });
}

function unknownName(path: readonly PropertyKey[], name: string, known: readonly string[]): ClaudeConfigError {
  if (path.length === 0) return unknownOption(name, known);
  const meant = nearestName(name, known);
  return new ClaudeConfigError(`${placeOf(path)} has no field ${name}`, {
    option: String(path[0]),
    target: placeOf([...path, name]),
    hint: meant ? `Did you mean ${meant}?` : LISTED,
  });
}

/** The error about an option that nobody knows, with the one that was probably meant. */
export function unknownOption(name: string, known: readonly string[]): ClaudeConfigError {
  const other = ownValue(OTHER_NAMES, name);
  const meant = other !== undefined && known.includes(other) ? other : nearestName(name, known);
  const hint = meant ? `Did you mean ${meant}?` : LISTED;
  return new ClaudeConfigError(`There is no option ${name}`, { option: name, target: name, hint });
}

const LISTED = "docs/guide/running-agents.md lists the options.";

/** A place as one writes it in code: `agents.helper.tools[1]`. */
function placeOf([option, ...rest]: readonly PropertyKey[]): string {
  return rest.reduce<string>(
    (place, part) => (typeof part === "number" ? `${place}[${part}]` : `${place}.${String(part)}`),
    String(option),
  );
}
