import { SkeinError } from "../../core/index.ts";
import { runShellCommand, type ShellCommandOptions, type ShellCommandOutcome } from "../../engine/index.ts";
import type { RewardContext } from "./reward.ts";

/** Runs a reward's command in the branch; an environment without files has none. */
export async function runCommand(
  command: string,
  { directory, ...rest }: RewardContext,
  options: ShellCommandOptions = {},
): Promise<ShellCommandOutcome> {
  if (directory !== undefined) return await runShellCommand(command, { directory, ...rest }, options);
  throw new SkeinError(`There is no directory to run "${command}" in`, {
    kind: "usage",
    target: command,
    hint: "Rewards by command need an environment whose states are files",
  });
}

/** How a command ended, in words. */
export function endingOf({ exitCode, isTimeout }: ShellCommandOutcome): string {
  if (isTimeout) return "took too long";
  return exitCode === undefined ? "killed by a signal" : `exit code ${exitCode}`;
}
