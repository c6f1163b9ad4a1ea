import { defined, createId, isoTime, type Clock } from "../../core/internal.ts";
import type { PromptExecuted, PromptRendered, ToolInvoked } from "../session/prompt-events.ts";
import type { PromptSession } from "../session/prompt-session.ts";
import type { PromptDescriptor } from "../template/prompt-descriptor.ts";
import type { RenderedPrompt } from "../template/render-prompt.ts";

export type EvaluationEvents = ReturnType<typeof createEvaluationEvents>;

type CallReport = Pick<
  ToolInvoked,
  "callId" | "name" | "isBridged" | "input" | "success" | "isDenied" | "output" | "value"
>;
type ExecutedReport = Pick<
  PromptExecuted,
  "text" | "output" | "usage" | "costUsd" | "stopped" | "transitionId" | "stateId"
>;

/** Dispatches the events of one evaluation. */
export function createEvaluationEvents(session: PromptSession, prompt: PromptDescriptor, clock: Clock) {
  const evaluationId = createId(clock);
  const base = () => ({
    eventId: createId(clock),
    sessionId: session.id,
    evaluationId,
    promptNs: prompt.ns,
    promptKey: prompt.key,
    ...defined({ promptName: prompt.name }),
    createdAt: isoTime(clock.now()),
  });
  return {
    evaluationId,
    promptRendered({ text, descriptor, tools }: RenderedPrompt) {
      const names = tools.map(({ name }) => name);
      session.dispatch<PromptRendered>({ type: "prompt-rendered", ...base(), text, descriptor, tools: names });
    },
    toolInvoked(call: CallReport) {
      session.dispatch<ToolInvoked>({ type: "tool-invoked", ...base(), ...call });
    },
    promptExecuted(report: ExecutedReport) {
      session.dispatch<PromptExecuted>({ type: "prompt-executed", ...base(), ...report });
    },
  };
}
