import { resolve } from "node:path";
import { openEventJournal, removeJournals, type ControlHandler, type EventJournal } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import type { BegunTurn } from "./journal.ts";

/** The events of a turn, for whoever looks on, under the transition's id, and what they may ask of it. Nothing in them holds a secret of this process. */
export async function openTurnEvents(
  { home, origin, path, clock }: Workspace,
  { transitionId, conversationId, turn, beforeStateId, prompt }: BegunTurn,
  { onControl, idleLimitMs }: { readonly onControl: ControlHandler; readonly idleLimitMs: number },
): Promise<EventJournal> {
  const about = {
    run: transitionId,
    kind: "turn" as const,
    workspace: origin,
    directory: path,
    conversationId,
    turn,
    beforeStateId,
    prompt: prompt.text,
    idleLimitMs,
  };
  return await openEventJournal(resolve(home, "../.."), about, { clock, onControl });
}

/** Removes the events of all turns of a conversation that is forgotten. */
export async function forgetEvents({ home }: Workspace, conversationId: string): Promise<void> {
  await removeJournals(resolve(home, "../.."), conversationId);
}
