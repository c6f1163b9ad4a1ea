import { createId, isoTime, systemClock, type SkeinEvent, type TurnResult } from "../../core/internal.ts";
import { claudePrompt, type ClaudePrompt } from "../../engine/internal.ts";
import type { EnvironmentSnapshot } from "../../workspace/internal.ts";
import { tellsTotal } from "../turn/ledger.ts";
import { allEntries, EMPTY_SEGMENT, type SessionEntry, type SessionSegment } from "../session/session-entry.ts";
import { toSegment, transcriptOfCaptured } from "../session/session-segments.ts";
import { toExecution, toRecordedPrompt, type Transition, type TransitionSource } from "../record/transition.ts";
import { createToolRecorder, findTools, type ToolExecution } from "../turn/tool-recorder.ts";
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

/** Where it is not known what was said before, the times decide: a session that is resumed has lines from long before. */
function divideSession(
  session: SessionSegment,
  said: { readonly session: SessionSegment | undefined; readonly at: string },
): Record<"before" | "since", SessionSegment> {
  const keyOf = (entry: SessionEntry): string => entry.uuid ?? JSON.stringify(entry);
  // A fork's copies of what was there are known again by their ids.
  const known = said.session && new Set(allEntries(said.session).map(keyOf));
  const divide = (entries: readonly SessionEntry[]): readonly [readonly SessionEntry[], readonly SessionEntry[]] => {
    if (known) {
      const isKnown = (entry: SessionEntry): boolean => known.has(keyOf(entry));
      return [entries.filter(isKnown), entries.filter((entry) => !isKnown(entry))];
    }
    const start = entries.findLastIndex(({ timestamp = "" }) => Date.parse(timestamp) < Date.parse(said.at)) + 1;
    return [entries.slice(0, start), entries.slice(start)];
  };
  const main = divide(session.main);
  const subagents = Array.from(session.subagents, ([path, entries]) => [path, divide(entries)] as const);
  const part = (index: 0 | 1): SessionSegment => ({
    main: main[index],
    subagents: new Map(
      subagents.map(([path, parts]) => [path, parts[index]] as const).filter(([, entries]) => entries.length > 0),
    ),
  });
  return { before: part(0), since: part(1) };
}
