import { errorsOnly } from "./event-guards.ts";
import type { SkeinEvent, TurnResult } from "./event.ts";

/** What a collector saw. */
export interface EventSummary {
  readonly totalEvents: number;
  readonly eventsByType: Readonly<Partial<Record<SkeinEvent["type"], number>>>;
  /** What the last turn came to; absent while none has ended. */
  readonly finalResult?: TurnResult;
  readonly hasErrors: boolean;
  /** Each tool once, in the order of its first call. */
  readonly toolsUsed: readonly string[];
  /** From the first event to the last, by their own timestamps. */
  readonly durationMs: number;
  /** 0 where all happened at one moment. */
  readonly eventsPerSecond: number;
}

/** Counts events as they pass. It keeps none of them, so that a long run costs no memory. */
export interface EventCollector {
  add(event: SkeinEvent): void;
  summary(): EventSummary;
}

/** Makes a collector; hand it every event of a turn or of many. */
export function createEventCollector(): EventCollector {
  const eventsByType: Partial<Record<SkeinEvent["type"], number>> = {};
  const toolsUsed = new Set<string>();
  let [totalEvents, hasErrors, firstAt, lastAt] = [0, false, Infinity, -Infinity];
  let finalResult: TurnResult | undefined;
  return {
    add(event) {
      totalEvents += 1;
      eventsByType[event.type] = (eventsByType[event.type] ?? 0) + 1;
      hasErrors ||= errorsOnly(event);
      firstAt = Math.min(firstAt, Date.parse(event.timestamp));
      lastAt = Math.max(lastAt, Date.parse(event.timestamp));
      if (event.type === "tool-start") toolsUsed.add(event.tool);
      if (event.type === "turn-end") finalResult = event.result;
    },
    summary() {
      const durationMs = totalEvents === 0 ? 0 : lastAt - firstAt;
      return {
        totalEvents,
        eventsByType: { ...eventsByType },
        ...(finalResult ? { finalResult } : {}),
        hasErrors,
        toolsUsed: [...toolsUsed],
        durationMs,
        eventsPerSecond: durationMs === 0 ? 0 : (totalEvents * 1000) / durationMs,
      };
    },
  };
}
