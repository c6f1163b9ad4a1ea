import { defined, createId, isoTime, type Clock } from "../../core/index.ts";
import type { PromptExecuted, PromptRendered, ToolInvoked } from "../session/prompt-events.ts";
import type { PromptSession } from "../session/prompt-session.ts";
import type { PromptDescriptor } from "../template/prompt-descriptor.ts";
import type { RenderedPrompt } from "../template/render-prompt.ts";
import type { CallReport } from "./call-log.ts";

/** What is told when an evaluation is over. */
type ExecutedReport = Pick<
  PromptExecuted,
  "text" | "output" | "usage" | "costUsd" | "stopped" | "transitionId" | "stateId"
>;

/** Dispatches the events of one evaluation. */
export interface EvaluationEvents {
  readonly evaluationId: string;
  promptRendered(rendered: RenderedPrompt): void;
  toolInvoked(call: CallReport): void;
  promptExecuted(report: ExecutedReport): void;
}

/** Makes the voice of one evaluation of a prompt. */
export function createEvaluationEvents(
  session: PromptSession,
  prompt: PromptDescriptor,
  clock: Clock,
): EvaluationEvents {
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
    promptRendered({ text, descriptor, tools }) {
      const names = tools.map(({ name }) => name);
      session.dispatch<PromptRendered>({ type: "prompt-rendered", ...base(), text, descriptor, tools: names });
    },
    toolInvoked(call) {
      session.dispatch<ToolInvoked>({ type: "tool-invoked", ...base(), ...call });
    },
    promptExecuted(report) {
      session.dispatch<PromptExecuted>({ type: "prompt-executed", ...base(), ...report });
    },
  };
}
