import { SkeinError, type ErrorRecord } from "../../core/index.ts";
import type { ClaudePrompt } from "../../engine/index.ts";
import type { Conversation, Transition } from "../../trace/index.ts";
import { gitLeftOutByTurn } from "../states/git-left-out.ts";
import { toUnheldData } from "../states/left-out-data.ts";
import { isAboutFile, toFilesData } from "./files-data.ts";
import { showEvents, type EventSinks } from "./show-events.ts";
import { toTurnData, type TurnData, type TurnSeen } from "./turn-data.ts";

/** A turn of a conversation, and where it is shown. */
export interface TurnToRun extends EventSinks {
  readonly conversation: Conversation;
  readonly prompt: ClaudePrompt;
}

/** What a turn came to; a failed one has data too. */
export interface TurnOutcome {
  readonly data: TurnData;
  readonly error?: ErrorRecord;
}

/** Runs one turn of a conversation: shows and emits its events, and tells what became of the files. */
export async function runTurn(turn: TurnToRun): Promise<TurnOutcome> {
  const { conversation, prompt, ...sinks } = turn;
  const events = conversation.stream(prompt, { signal: sinks.context.signal });
  const { value: transition, result, tools, error } = await showEvents(events, sinks);
  if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
  const changes = (await transition.filesChanged()).filter(isAboutFile);
  const files = toFilesData(changes);
  const { stateId } = transition.after;
  const data = toTurnData(result, {
    tools,
    files,
    ...(stateId === undefined ? {} : await readRecorded(turn, transition)),
  });
  return error ? { data, error } : { data };
}

/** What is told of a turn that is recorded. */
async function readRecorded(
  { conversation }: TurnToRun,
  transition: Transition,
): Promise<Pick<TurnSeen, "unheld" | "gitLeftOut" | "recorded">> {
  const [before, after] = [transition.before.stateId, transition.after.stateId];
  return {
    unheld: toUnheldData(await transition.unheldChanges()),
    gitLeftOut: await gitLeftOutByTurn(conversation.workspace, { before, after }),
    // A turn that somebody else overtook is kept as a conversation of its own.
    recorded: { stateId: after ?? "", transitionId: transition.id, conversationId: conversation.id },
  };
}
