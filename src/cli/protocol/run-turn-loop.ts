import { SkeinError, toSkeinError, type ErrorRecord, type SkeinEvent } from "../../core/index.ts";
import { claudePrompt, type ProcessManager } from "../../engine/index.ts";
import type { Conversation } from "../../trace/index.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { NO_MATCHES, refusedTurn, toLoopTurn, type LoopTurn, type Matches } from "./loop-turn.ts";
import { showEvents, type EventSinks } from "../turn/show-events.ts";
import { stopReasonOf } from "./stop-reason.ts";

/** Turns of one conversation, one after the other. */
export interface TurnLoop extends EventSinks {
  readonly conversation: Conversation;
  /** What runs the CLI of the conversation, and of nothing else: its end can be seen here. */
  readonly processes: Pick<ProcessManager, "processes">;
  readonly guard: LoopGuard;
  readonly prompt: string;
  /** What is said in all later turns; without it there are none. */
  readonly continuation?: string | undefined;
  readonly maxTurns: number;
  /** Finds what a prompt seems to be about, among what the turn was offered. */
  match?(prompt: string, start: TurnStart): Promise<Matches>;
  /** Called before each turn that is run, and after each. */
  onTurn?(turn: { readonly number: number; readonly ended?: LoopTurn }): Promise<void>;
}

type TurnStart = SkeinEvent & { readonly type: "turn-start" };

/** What a loop came to: its turns, and the error that ended it. */
export interface LoopEnd {
  readonly turns: readonly LoopTurn[];
  readonly error?: ErrorRecord;
}

/** Runs turns until one does not complete, there is nothing more to say, or there have been enough. */
export async function runTurnLoop(loop: TurnLoop): Promise<LoopEnd> {
  const turns: LoopTurn[] = [];
  for (let number = 0; number < loop.maxTurns; number += 1) {
    const prompt = number === 0 ? loop.prompt : loop.continuation;
    if (prompt === undefined) break;
    const { turn, error } = await runOrRefuse(loop, prompt, turns);
    turns.push(turn);
    if (turn.stop_reason !== "completed") return { turns, ...(error ? { error } : {}) };
  }
  return { turns };
}

interface Outcome {
  readonly turn: LoopTurn;
  readonly error?: ErrorRecord;
}

/** Everything that speaks against a turn is looked at before anything is changed. */
async function runOrRefuse(loop: TurnLoop, prompt: string, before: readonly LoopTurn[]): Promise<Outcome> {
  const stopReason = loop.guard.refuse(before);
  if (stopReason !== undefined) {
    return { turn: refusedTurn(prompt, { stopReason, sessionId: before.at(-1)?.session_id }) };
  }
  const number = before.length;
  await loop.onTurn?.({ number });
  const outcome = await runTurn(loop, prompt, before);
  await loop.onTurn?.({ number, ended: outcome.turn });
  return outcome;
}

async function runTurn(loop: TurnLoop, prompt: string, before: readonly LoopTurn[]): Promise<Outcome> {
  const { conversation, guard, view } = loop;
  let start: TurnStart | undefined;
  let hasReceipt = false;
  const look = async (event: SkeinEvent): Promise<void> => {
    if (event.type === "turn-start") start = event;
    // A turn that the CLI itself has ended closes with the CLI's own message.
    if (event.type === "turn-end") hasReceipt = event.raw !== undefined;
    await view.show(event);
  };
  try {
    const events = conversation.stream(claudePrompt(prompt), guard.begin(before));
    const { value: transition, result, tools } = await showEvents(events, { ...loop, view: { ...view, show: look } });
    if (!result) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
    const turn = toLoopTurn(result, {
      prompt,
      stopReason: stopReasonOf(result.error),
      tools,
      matches: start ? ((await loop.match?.(prompt, start)) ?? NO_MATCHES) : NO_MATCHES,
      stateId: transition.after.stateId ?? "",
      isSettled: hasReceipt || loop.processes.processes().length === 0,
    });
    return { turn, ...(result.error ? { error: result.error } : {}) };
  } catch (thrown) {
    const error = toSkeinError(thrown).toJSON();
    const turn = refusedTurn(prompt, { stopReason: stopReasonOf(error), sessionId: before.at(-1)?.session_id });
    // What is thrown before the agent began kept the turn from being run at all; after that, its record was lost.
    return { turn: { ...turn, safe_to_reuse_session: start === undefined }, error };
  }
}
