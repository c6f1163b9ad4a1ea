import type { CanUseTool, Options, PermissionMode } from "@anthropic-ai/claude-agent-sdk";
import { isoTime, type Clock, type EventOf, type SkeinEvent } from "../../core/internal.ts";

/** How long a session has waited for answers of `canUseTool`: time in which neither the agent nor its tools work. */
export interface OpenQuestions {
  readonly isWaiting: boolean;
  /** Time in which at least one question was open, up to now. */
  waitedMs(): number;
  /** What was told of questions to people since this was last called. */
  take(): readonly SkeinEvent[];
  /** Resolves when there is something to take. */
  told(): Promise<void>;
}

type QuestionEvent = EventOf<"question-asked" | "question-answered">;

/** What is told of a question: the session adds when. */
export type QuestionDraft = QuestionEvent extends infer Event
  ? Event extends QuestionEvent
    ? Omit<Event, "timestamp">
    : never
  : never;

/** A request of the CLI's, with what is known of the session that it comes from. */
export type SessionRequest = Parameters<CanUseTool>[2] & {
  readonly session?: {
    /** Whether its commands run in a sandbox, unless they ask not to. */
    readonly isSandboxed: boolean;
    /** The mode that it was started with, where that is known. */
    readonly permissionMode: PermissionMode | undefined;
    /** Tells a question as an event of the turn. */
    tell(event: QuestionDraft): void;
  };
};

/** Watches the questions that go to `canUseTool`; without one there are none. */
export function watchQuestions<Watched extends Pick<Options, "canUseTool" | "sandbox" | "permissionMode">>(
  options: Watched,
  clock: Clock,
): { readonly watched: Watched; readonly questions: OpenQuestions } {
  const { canUseTool, sandbox, permissionMode } = options;
  let [open, sinceMs, sumMs] = [0, 0, 0];
  let events: SkeinEvent[] = [];
  let wake: (() => void) | undefined;
  const questions: OpenQuestions = {
    get isWaiting() {
      return open > 0;
    },
    waitedMs: () => sumMs + (open > 0 ? clock.now() - sinceMs : 0),
    take: () => events.splice(0),
    told: () => (events.length > 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
  };
  if (!canUseTool) return { watched: options, questions };
  const session = {
    isSandboxed: sandbox?.enabled === true,
    permissionMode,
    tell(event: QuestionDraft): void {
      events = [...events, { timestamp: isoTime(clock.now()), ...event }];
      wake?.();
    },
  };
  const ask: CanUseTool = async (tool, input, request) => {
    if (open === 0) sinceMs = clock.now();
    open += 1;
    try {
      const told: SessionRequest = { ...request, session };
      return await canUseTool(tool, input, told);
    } finally {
      open -= 1;
      if (open === 0) sumMs += clock.now() - sinceMs;
    }
  };
  return { watched: { ...options, canUseTool: ask }, questions };
}
