import {
  failedResult,
  SkeinError,
  type SkeinEvent,
  type TurnResult,
  type TurnStartEvent as TurnStart,
} from "../../core/internal.ts";
import { tellsTotal } from "./ledger.ts";
import type { Journal } from "./journal.ts";
import { createToolRecorder } from "./tool-recorder.ts";

/** Gathers what a turn shows of itself; what must not be lost with the process is written down, where there is a journal. */
export function createSeen(journal?: Pick<Journal, "tool" | "end">) {
  const tools = createToolRecorder();
  let started: TurnStart | undefined;
  let ended: { readonly result: TurnResult; readonly hasTotal: boolean } | undefined;
  return {
    /** Hands the events on, each after it was looked at. */
    async *follow(events: AsyncIterable<SkeinEvent>): AsyncGenerator<SkeinEvent, void, void> {
      for await (const event of events) {
        const call = tools.read(event);
        if (call) await journal?.tool(call);
        if (event.type === "turn-start") started ??= event;
        if (event.type === "turn-end") {
          const { result, raw } = event;
          ended = { result, hasTotal: raw !== undefined || tellsTotal(result) };
          await journal?.end(result);
        }
        yield event;
      }
    },
    /** What there is to record; undefined where the turn never began. */
    end: () => (started || ended ? { ...(ended ?? leftBy(started)), tools: tools.executions(), started } : undefined),
  };
}

/** The reader left: the turn was stopped, and nobody heard what it came to. */
function leftBy(started: TurnStart | undefined): { readonly result: TurnResult; readonly hasTotal: false } {
  const error = new SkeinError("The turn was cancelled: nobody was reading it any more", { kind: "cancelled" });
  return { hasTotal: false, result: failedResult(error, { sessionId: started?.sessionId, model: started?.model }) };
}
