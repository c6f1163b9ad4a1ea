import { defined, SkeinError } from "../../core/internal.ts";
import { runShellCommand, type ShellCommandOptions, type ShellCommandOutcome } from "../../engine/internal.ts";
import type { RewardContext, Reward } from "../environment.ts";
import type { RewardFunction } from "./reward.ts";
import { parseJestJson, parseJunit, parsePytest, parseTap, type ReportParser } from "./test-reports.ts";

/** 1 where a shell command in the branch ends with exit code 0, else 0. The end of its output is in the notes. */
export function commandReward(command: string, options: ShellCommandOptions = {}): RewardFunction {
  return async (_, context) => {
    const outcome = await runCommand(command, context, options);
    const notes = { command, ending: endingOf(outcome), output: outcome.tail };
    return { value: outcome.exitCode === 0 ? 1 : 0, parts: {}, notes };
  };
}

async function runCommand(
  command: string,
  { directory, ...rest }: RewardContext,
  options: ShellCommandOptions,
): Promise<ShellCommandOutcome> {
  if (directory !== undefined) return await runShellCommand(command, { directory, ...rest }, options);
  throw new SkeinError(`There is no directory to run "${command}" in`, {
    kind: "usage",
    target: command,
    hint: "Rewards by command need an environment whose states are files",
  });
}

function endingOf({ exitCode, isTimeout }: ShellCommandOutcome): string {
  if (isTimeout) return "took too long";
  return exitCode === undefined ? "killed by a signal" : `exit code ${exitCode}`;
}

const PARSERS = {
  tap: parseTap,
  junit: parseJunit,
  "vitest-json": parseJestJson,
  "jest-json": parseJestJson,
  pytest: parsePytest,
} satisfies Record<string, ReportParser>;

/** Which tests are run, and how their report is read. */
export interface TestRewardOptions extends ShellCommandOptions {
  readonly command: string;
  /** How the test runner tells what passed. */
  readonly format: keyof typeof PARSERS;
  /** Where the command writes its report, seen from the branch's directory; standard output by default. */
  readonly file?: string;
  /** How many tests there have to be at least, so that nobody wins by deleting some. */
  readonly minimumTotal?: number;
}

/**
 * Runs the tests in the branch: the share that passed, from 0 to 1. Skipped tests count as not passed, and so do tests that
 * are missing. Without a report that can be read it is 0, and the notes say why.
 */
export function testReward(options: TestRewardOptions): RewardFunction {
  const { command, format, minimumTotal = 0 } = options;
  return async (_, context): Promise<Reward> => {
    const { report, outcome } = await runTests(options, context);
    const counts = PARSERS[format](report);
    const notes = { command, ending: endingOf(outcome), output: outcome.tail };
    if (!counts) return { value: 0, parts: {}, notes: { ...notes, problem: `There is no ${format} report` } };
    const total = Math.max(minimumTotal, counts.passed + counts.failed + counts.skipped);
    return { value: total === 0 ? 0 : counts.passed / total, parts: { ...counts, total }, notes };
  };
}

/** The report is read by a command too: the branch may be visible to those only. One of an earlier run must not count. */
async function runTests({ command, file, env, ...options }: TestRewardOptions, context: RewardContext) {
  if (file === undefined) {
    const outcome = await runCommand(command, context, { ...options, ...defined({ env }) });
    return { outcome, report: outcome.stdout };
  }
  const place = { SKEIN_REPORT: file };
  const script = `rm -f -- "$SKEIN_REPORT"\n${command}`;
  const outcome = await runCommand(script, context, { ...options, env: { ...env, ...place } });
  const read = await runCommand('cat -- "$SKEIN_REPORT"', context, { env: place });
  return { outcome, report: read.stdout };
}
