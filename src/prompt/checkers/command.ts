import { SkeinError, type Clock } from "../../core/index.ts";
import { runShellCommand, type ShellCommandOutcome } from "../../engine/index.ts";
import type { CompletionChecker } from "../completion-checker.ts";

/**
 * The task is done when a shell command succeeds where the agent works: `command("npm test")`. It runs as this program does, not
 * in the agent's sandbox, without the keys of its environment.
 */
export function command(
  line: string,
  options: { readonly timeoutMs?: number; readonly clock?: Clock } = {},
): CompletionChecker {
  if (line.trim() === "") {
    const hint = "Give a command such as npm test.";
    throw new SkeinError("There is no command to check with", { kind: "usage", target: "command", hint });
  }
  return {
    async check({ path, signal }) {
      const end = await runShellCommand(line, { directory: path, signal }, options);
      if (end.exitCode === 0) return { complete: true };
      return { complete: false, feedback: `\`${line}\` ${describe(end)}.\n${end.tail}`.trim() };
    },
  };
}

function describe({ exitCode, isTimeout }: ShellCommandOutcome): string {
  if (isTimeout) return "took too long";
  return exitCode === undefined ? "was killed by a signal" : `failed with exit code ${exitCode}`;
}
