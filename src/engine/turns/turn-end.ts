import { isoTime, type Clock, type TurnEndEvent, type TurnResult } from "../../core/index.ts";

/** The end of a turn whose result is known without the CLI. */
export function turnEnd(result: TurnResult, clock: Clock): TurnEndEvent {
  const sessionId = result.sessionId === "" ? {} : { sessionId: result.sessionId };
  return { type: "turn-end", timestamp: isoTime(clock.now()), ...sessionId, result };
}
