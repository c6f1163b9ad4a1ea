import type { ShellCommandOptions } from "../../engine/index.ts";
import type { RewardFunction } from "./reward.ts";
import { endingOf, runCommand } from "./run-command.ts";

/** 1 where a shell command in the branch ends with exit code 0, else 0. The end of its output is in the notes. */
export function commandReward(command: string, options: ShellCommandOptions = {}): RewardFunction {
  return async (_, context) => {
    const outcome = await runCommand(command, context, options);
    const notes = { command, ending: endingOf(outcome), output: outcome.tail };
    return { value: outcome.exitCode === 0 ? 1 : 0, parts: {}, notes };
  };
}
