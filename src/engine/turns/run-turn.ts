import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import {
  ResourceExhaustionError,
  SkeinError,
  type Clock,
  type SkeinEvent,
  type TurnEndEvent,
  type TurnResult,
  type TurnStream,
} from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { CliSession } from "../start-up/cli-session.ts";
import { findStreamErrorType } from "../failures/stream-error-type.ts";
import { DEFAULT_GRACE_MS } from "../processes/cli-process.ts";
import { watchTurn } from "./turn-limits.ts";
import { TurnRecord } from "./turn-record.ts";
import { AwaitedPrompts } from "./prompts-in-flight.ts";
import type { TurnBudget } from "./turn-budget.ts";
import { findMemoryRunOut } from "./watch-resources.ts";

export interface TurnReading {
  readonly clock: Clock;
  /** Whether what background tasks report still belongs to the turn. The process ends with them, and so with the turn. */
  readonly waitsForTasks: boolean;
  /** What is to be answered; without it, the one prompt that was sent. */
  readonly prompts?: AwaitedPrompts;
  /** Whether a stopped turn takes along the prompts that wait behind it. */
  readonly ownsQueue?: boolean;
  /** What watches the money, where the CLI does not do so itself. */
  readonly budget?: TurnBudget | undefined;
}

/** Reads a turn from a session, up to its result or to a limit. The prompt has been sent already. */
export async function* runTurn(session: CliSession, options: ClaudeOptions, reading: TurnReading): TurnStream {
  const { clock, waitsForTasks, prompts = new AwaitedPrompts(), budget } = reading;
  const record = new TurnRecord(clock, session, options);
  // A process that was started before has put it down for what it found then.
  session.process?.expectRemains(options);
  using limits = watchTurn(options, clock, session);
  const { questions } = session;
  let next: Promise<SDKMessage | undefined> | undefined;
  const passed = budget ? Promise.race([limits.passed, budget.passed]) : limits.passed;
  try {
    for (;;) {
      // One that comes while a question is told is still there afterwards.
      next ??= session.next();
      const message = await Promise.race([next, passed, questions.told().then(() => "question" as const)]);
      yield* questions.take();
      if (message === "question") continue;
      next = undefined;
      if (message instanceof SkeinError) {
        record.fail(message);
        // What eats the machine is not asked to stop: it would go on eating while the CLI thinks about it.
        if (message instanceof ResourceExhaustionError) await session.close(0);
        else yield* interrupt(session, record, { ...reading, prompts, options });
        break;
      }
      if (message === undefined) break;
      for await (const event of readMessage(message, record, { session, options, clock })) {
        limits.happened(event);
        yield event;
      }
      prompts.read(message);
      budget?.heard(message);
      limits.heard(message, record.isWorking);
      if (!prompts.settle()) continue;
      if (!(waitsForTasks && record.hasBackgroundTasks)) break;
      session.endInput();
    }
  } catch (error) {
    record.fail(error);
  }
  prompts.end();
  yield* questions.take();
  const end = endTurn(record, findMemoryRunOut(options, session.process), budget);
  yield end;
  return end.result;
}

/** The end of a turn. One that came to its end by itself may have cost too much all the same. */
function endTurn(record: TurnRecord, runOut: SkeinError | undefined, budget: TurnBudget | undefined): TurnEndEvent {
  if (runOut) record.fail(runOut);
  const end = record.end();
  const overspent = end.result.isError ? undefined : budget?.judge(end.result.costUsd);
  if (!overspent) return end;
  record.fail(overspent);
  return record.end();
}

/** The events of a message. Pieces of a text are always asked for, and handed on only to who wants them. */
async function* readMessage(
  message: SDKMessage,
  record: TurnRecord,
  { session, options, clock }: { readonly session: CliSession; readonly options: ClaudeOptions; readonly clock: Clock },
): AsyncGenerator<SkeinEvent, void> {
  const isUnwanted = message.type === "stream_event" && options.includePartialMessages === false;
  if (!isUnwanted) options.onMessage?.(message);
  const events = record.read(message, await findStreamErrorType(message, session.process?.env, clock));
  yield* isUnwanted ? events.filter(({ type }) => type === "usage") : events;
}

/** Stops a turn that nobody reads any more, so that the next one's reader does not get its words. Gives what it came to, and cost. */
export async function abandonTurn(
  session: CliSession,
  options: ClaudeOptions,
  reading: TurnReading,
): Promise<TurnResult> {
  const record = new TurnRecord(reading.clock, session);
  record.fail(new SkeinError("The turn was cancelled: nobody was reading it any more", { kind: "cancelled" }));
  if (!session.hasEnded) for await (const _ of interrupt(session, record, { ...reading, options }));
  return record.end().result;
}

/** Asks the CLI to stop, or signals one that takes no input, and passes on what it still says; one that does not stop in time is ended. */
async function* interrupt(
  session: CliSession,
  record: TurnRecord,
  { clock, prompts, ownsQueue, options }: TurnReading & { readonly options: ClaudeOptions },
): AsyncGenerator<SkeinEvent, void, void> {
  const waiting = new AbortController();
  const { graceMs = DEFAULT_GRACE_MS } = options;
  const tooLate = clock.sleep(graceMs, waiting.signal).then(() => "too late" as const);
  try {
    const asked = session.takesInput
      ? session.interrupt({ cancelQueued: ownsQueue === true })
      : session.process?.end(graceMs);
    asked?.catch(() => undefined);
    for (;;) {
      const message: SDKMessage | "too late" | undefined = await Promise.race([session.next(), tooLate]);
      if (message === "too late") return await session.close(0);
      if (message === undefined) return;
      yield* readMessage(message, record, { session, options, clock });
      prompts?.read(message);
      if (message.type === "result") return;
    }
  } catch {
    await session.close(0);
  } finally {
    waiting.abort();
    await tooLate.catch(() => undefined);
  }
}
