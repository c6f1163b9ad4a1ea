import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { ResourceExhaustionError, SkeinError, type Clock, type SkeinEvent, type TurnResult } from "../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import type { CliSession } from "./cli-session.ts";
import { DEFAULT_GRACE_MS } from "./processes/cli-process.ts";
import { placeOf } from "./leftovers/expected-remains.ts";
import { watchTurn } from "./turn-limits.ts";
import { TurnRecord } from "./turn-record.ts";
import { findMemoryRunOut } from "./watch-resources.ts";

/** How a turn is read. */
export interface TurnReading {
  readonly clock: Clock;
  /** Whether what background tasks report still belongs to the turn. The process ends with them, and so with the turn. */
  readonly waitsForTasks: boolean;
}

/** Reads a turn from a session, up to its result or to a limit. The prompt has been sent already. */
export async function* runTurn(
  session: CliSession,
  options: ClaudeOptions,
  { clock, waitsForTasks }: TurnReading,
): AsyncGenerator<SkeinEvent, TurnResult, void> {
  const record = new TurnRecord(clock, () => session.process, options.resume);
  // A process that was started before has put it down for what it found then.
  session.process?.expectRemains(placeOf(options));
  using limits = watchTurn(options, clock, () => session.process);
  try {
    for (;;) {
      const message = await Promise.race([session.next(), limits.passed]);
      if (message instanceof SkeinError) {
        record.fail(message);
        // What eats the machine is not asked to stop: it would go on eating while the CLI thinks about it.
        if (message instanceof ResourceExhaustionError) await session.close(0);
        else yield* interrupt(session, record, clock, options.graceMs);
        break;
      }
      if (message === undefined) break;
      options.onMessage?.(message);
      yield* record.read(message);
      limits.heard(record.openCalls);
      if (!record.hasResult) continue;
      if (!(waitsForTasks && record.hasBackgroundTasks)) break;
      session.endInput();
    }
  } catch (error) {
    record.fail(error);
  }
  const runOut = findMemoryRunOut(options, session.process);
  if (runOut) record.fail(runOut);
  const end = record.end();
  yield end;
  return end.result;
}

/** Stops a turn that nobody reads any more, so that what it would still say is not taken for the next one's. */
export async function abandonTurn(session: CliSession, { clock }: TurnReading, graceMs?: number): Promise<void> {
  if (session.hasEnded) return;
  const record = new TurnRecord(clock, () => session.process);
  for await (const _ of interrupt(session, record, clock, graceMs));
}

/** Asks the CLI to stop, and passes on what it still says; a CLI that does not stop in time is ended. */
async function* interrupt(
  session: CliSession,
  record: TurnRecord,
  clock: Clock,
  graceMs = DEFAULT_GRACE_MS,
): AsyncGenerator<SkeinEvent, void, void> {
  const waiting = new AbortController();
  const tooLate = clock.sleep(graceMs, waiting.signal).then(() => "too late" as const);
  try {
    session.query.interrupt().catch(() => undefined);
    for (;;) {
      const message: SDKMessage | "too late" | undefined = await Promise.race([session.next(), tooLate]);
      if (message === "too late") return await session.close(0);
      if (message === undefined) return;
      yield* record.read(message);
      if (message.type === "result") return;
    }
  } catch {
    await session.close(0);
  } finally {
    waiting.abort();
    await tooLate.catch(() => undefined);
  }
}
