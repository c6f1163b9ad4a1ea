import type { SkeinEvent, TurnEndEvent, TurnResult } from "../../core/index.ts";
import type { Engine } from "../engine.ts";
import type { AttemptPlan } from "./plan-attempt.ts";

/** What one attempt came to. */
export interface Attempt {
  /** Whether the session holds something that must not be done twice. */
  readonly hasDoneWork: boolean;
  readonly sessionId?: string;
  /** Its end; absent where something was thrown before it. */
  readonly end?: TurnEndEvent;
  /** What was thrown instead of an end. */
  readonly thrown?: unknown;
}

/** Runs one attempt and passes its events on. Its end is passed on only if it is a good one, as `toFinal` makes it. */
export async function* runAttempt(
  engine: Pick<Engine, "stream">,
  { prompt, options }: AttemptPlan,
  toFinal: (result: TurnResult) => TurnResult,
): AsyncGenerator<SkeinEvent, Attempt, void> {
  let attempt: Attempt = { hasDoneWork: false };
  try {
    for await (const event of engine.stream(prompt, options)) {
      attempt = note(attempt, event);
      if (event.type !== "turn-end") yield event;
      else if (!event.result.isError) yield { ...event, result: toFinal(event.result) };
    }
  } catch (thrown) {
    if (!attempt.end) return { ...attempt, thrown };
  }
  return attempt;
}

function note(attempt: Attempt, event: SkeinEvent): Attempt {
  const sessionId = (event.type === "turn-end" && event.result.sessionId) || event.sessionId || attempt.sessionId;
  return {
    ...attempt,
    ...(sessionId ? { sessionId } : {}),
    hasDoneWork: attempt.hasDoneWork || isWork(event),
    ...(event.type === "turn-end" ? { end: event } : {}),
  };
}

/** A tool that was started counts, ended or not: what it did by then is done. */
function isWork({ type }: SkeinEvent): boolean {
  return type === "text" || type === "tool-start" || type === "tool-end";
}
