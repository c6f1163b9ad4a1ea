import { createId, isoTime, systemClock, type SkeinEvent, type TurnResult } from "../../core/index.ts";
import { claudePrompt, type ClaudePrompt } from "../../engine/index.ts";
import type { EnvironmentSnapshot } from "../../workspace/index.ts";
import { tellsTotal } from "../ledger.ts";
import { EMPTY_SEGMENT, type SessionSegment } from "../session-entry.ts";
import { toSegment } from "../taken-up/to-segment.ts";
import { transcriptOfCaptured } from "../taken-up/transcript-of.ts";
import { createToolRecorder, type ToolExecution } from "../tool-recorder.ts";
import { toExecution, toRecordedPrompt, type Transition, type TransitionSource } from "../transition.ts";
import { divideSession } from "./said-since.ts";
import { findTools } from "./session-tools.ts";
import { holdTransition } from "./transition-draft.ts";

/** What a transition is made of by hand. */
export interface TransitionParts {
  readonly before: EnvironmentSnapshot;
  readonly prompt: string | ClaudePrompt;
  readonly execution: TurnResult;
  /** With the session that the turn ran in: messages, tool calls and the ledger are told by it. */
  readonly after: EnvironmentSnapshot;
  /** The events of the turn: without a session, tool calls are known from them alone. */
  readonly events?: readonly SkeinEvent[];
  /** Where the files of both are; where `after` was taken, unless another is given. */
  readonly snapshots?: TransitionSource["snapshots"];
  /** The conversation that it goes on with when it is recorded; one of its own by default. */
  readonly conversationId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly rewards?: Readonly<Record<string, number>>;
}

/** Makes a transition of its parts; `TransitionRecorder.record` records it. */
export function createTransition(parts: TransitionParts): Transition {
  const { before, after, execution: result, events = [] } = parts;
  const { capturedAt: startedAt } = before;
  const session = sessionOf(after);
  const said = session && divideSession(session, { session: sessionOf(before), at: startedAt });
  const tools = events.length === 0 && said ? findTools(said.since, { ...result, startedAt }) : toolsOf(events);
  const seen = {
    result,
    hasTotal: tellsTotal(result) || events.some((event) => event.type === "turn-end" && event.raw !== undefined),
    segment: said?.since,
    tools,
    startedAt,
  };
  return holdTransition({
    file: {
      id: createId(),
      conversationId: parts.conversationId ?? createId(),
      turn: 1,
      prompt: toRecordedPrompt(claudePrompt(parts.prompt)),
      execution: toExecution(seen),
      recordedAt: isoTime(systemClock.now()),
      metadata: { ...parts.metadata },
      rewards: { ...parts.rewards },
    },
    before,
    after,
    snapshots: parts.snapshots ?? after.snapshots,
    sessionId: after.sessionId,
    earlier: said?.before ?? EMPTY_SEGMENT,
    segment: said?.since ?? EMPTY_SEGMENT,
    settings: result.model === "" ? {} : { model: result.model },
  });
}

function sessionOf({ session }: EnvironmentSnapshot): SessionSegment | undefined {
  return session && toSegment(transcriptOfCaptured(session));
}

function toolsOf(events: readonly SkeinEvent[]): readonly ToolExecution[] {
  const tools = createToolRecorder();
  for (const event of events) tools.read(event);
  return tools.executions();
}
