import { ProcessError } from "../core/index.ts";
import type { CliProcess } from "./processes/cli-process.ts";

/** The error of a CLI that ended without a result, with all that is known of its end. */
export function toProcessError(thrown: unknown, cli: CliProcess | undefined, sessionId?: string): ProcessError {
  return new ProcessError(thrown instanceof Error ? thrown.message : "The CLI ended without a result", {
    exitCode: cli?.child.exitCode ?? undefined,
    signal: cli?.child.signalCode ?? undefined,
    stderrTail: cli?.stderrTail() || undefined,
    command: cli?.child.spawnfile,
    retryable: true,
    hint: sessionId ? "The session can be resumed." : undefined,
    cause: thrown,
  });
}
