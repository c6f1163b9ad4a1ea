import { SkeinError } from "../../core/index.ts";
import type { ClaudePrompt } from "../../engine/index.ts";
import type { Conversation } from "../../trace/index.ts";
import { gitLeftOutByTurn } from "../states/git-left-out.ts";
import { toUnheldData } from "../states/left-out-data.ts";
import { isAboutFile, toFilesData } from "./files-data.ts";
import type { TurnOutcome } from "./run-turn.ts";
import { showEvents, type EventSinks } from "./show-events.ts";
import { toTurnData } from "./turn-data.ts";

/** A turn of a conversation, and where it is shown. */
export interface RecordedTurnToRun extends EventSinks {
  readonly conversation: Conversation;
  readonly prompt: ClaudePrompt;
}

/** Runs one turn of a conversation and records it: shows and emits its events, and tells what became of the files. */
export async function runRecordedTurn(turn: RecordedTurnToRun): Promise<TurnOutcome> {
  const { conversation, prompt, ...sinks } = turn;
  const events = conversation.stream(prompt, { signal: sinks.context.signal });
  const { value: transition, result, tools, error } = await showEvents(events, sinks);
  if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
  const changes = (await transition.filesChanged()).filter(isAboutFile);
  const data = toTurnData(result, {
    tools,
    files: { ...toFilesData(changes), complete: true },
    unheld: toUnheldData(await transition.unheldChanges()),
    gitLeftOut: await gitLeftOutByTurn(conversation.workspace, {
      before: transition.before.stateId,
      after: transition.after.stateId,
    }),
    recorded: {
      stateId: transition.after.stateId ?? "",
      transitionId: transition.id,
      // A turn that somebody else overtook is kept as a conversation of its own.
      conversationId: conversation.id,
    },
  });
  return error ? { data, error } : { data };
}
