import { ClaudeConfigError, ProcessError, type SkeinError } from "../../core/index.ts";
import type { CliProcess } from "../processes/cli-process.ts";

/** A CLI as far as its end is concerned. */
export interface EndedCli {
  readonly process: CliProcess | undefined;
  /** Whether it ever answered: until then it reads its flags and its configuration. */
  readonly hasAnswered: boolean;
}

/** The error of a CLI that ended without a result, with all that is known of its end. */
export function toProcessError(thrown: unknown, cli: EndedCli, sessionId?: string): SkeinError {
  const { exitCode = null, signalCode = null, spawnfile } = cli.process?.child ?? {};
  const stderrTail = cli.process?.stderrTail() || undefined;
  // The CLI tells what it refuses by one exit code for all, and what only prints something ends well. Crashes have others.
  if (!cli.hasAnswered && (exitCode === 0 || exitCode === 1)) return refusedStart(stderrTail, thrown);
  return new ProcessError(thrown instanceof Error ? thrown.message : "The CLI ended without a result", {
    exitCode: exitCode ?? undefined,
    signal: signalCode ?? undefined,
    stderrTail,
    command: spawnfile,
    retryable: true,
    hint: sessionId ? "The session can be resumed." : undefined,
    cause: thrown,
  });
}

function refusedStart(stderr: string | undefined, cause: unknown): ClaudeConfigError {
  return new ClaudeConfigError(
    stderr ? `The CLI refused to start: ${stderr}` : "The CLI ended before it took a prompt",
    {
      hint: "Check extraArgs and the other options that become flags; the CLI's --help lists what it takes.",
      cause,
    },
  );
}
