import type { Query } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeTimeoutError, SkeinError, systemClock, type Clock } from "../../core/index.ts";
import type { CliSession } from "../start-up/cli-session.ts";
import { toProcessError } from "../failures/process-failure.ts";
import { DEFAULT_IDLE_MS } from "./turn-limits.ts";

/** Something that a running CLI is asked for beside its turns. */
export interface CliRequest<Answer> {
  ask(query: Query): Promise<Answer>;
  /** The error of a CLI that answers with a refusal, in whose words it is told. */
  refused?(message: string, cause: unknown): SkeinError;
}

/** How long the CLI may take to answer. */
export interface AskOptions {
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Asks the CLI. Whether it refuses, is silent, was ended or is lost: each is an error of its own kind. */
export async function askCli<Answer>(
  session: CliSession,
  { ask, refused = refusal }: CliRequest<Answer>,
  { timeoutMs = DEFAULT_IDLE_MS, clock = systemClock }: AskOptions = {},
): Promise<Answer> {
  const waiting = new AbortController();
  const silent = clock.sleep(timeoutMs, waiting.signal).then(() => {
    throw new ClaudeTimeoutError(`The CLI did not answer for ${timeoutMs} ms`, { timeoutMs, reason: "idle" });
  });
  try {
    return await Promise.race([ask(session.query), silent]);
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    if (session.isClosing) throw closed(error);
    if (session.isGone) throw toProcessError(error, session);
    throw refused(error instanceof Error ? error.message : String(error), error);
  } finally {
    waiting.abort();
    silent.catch(() => undefined);
  }
}

function refusal(message: string, cause: unknown): SkeinError {
  return new SkeinError(`The CLI refused: ${message}`, { kind: "runtime", cause });
}

function closed(cause: unknown): SkeinError {
  return new SkeinError("The process was ended before it answered", { kind: "cancelled", cause });
}
