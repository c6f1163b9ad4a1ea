import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import type { Clock } from "../../core/internal.ts";

/** How long a session has waited for answers of `canUseTool`: time in which neither the agent nor its tools work. */
export interface OpenQuestions {
  readonly isWaiting: boolean;
  /** Time in which at least one question was open, up to now. */
  waitedMs(): number;
}

/** Watches the questions that go to `canUseTool`; without one there are none. */
export function watchQuestions<Options extends { readonly canUseTool?: CanUseTool }>(
  options: Options,
  clock: Clock,
): { readonly watched: Options; readonly questions: OpenQuestions } {
  let open = 0;
  let sinceMs = 0;
  let sumMs = 0;
  const questions: OpenQuestions = {
    get isWaiting() {
      return open > 0;
    },
    waitedMs: () => sumMs + (open > 0 ? clock.now() - sinceMs : 0),
  };
  const { canUseTool } = options;
  if (!canUseTool) return { watched: options, questions };
  const ask: CanUseTool = async (tool, input, request) => {
    if (open === 0) sinceMs = clock.now();
    open += 1;
    try {
      return await canUseTool(tool, input, request);
    } finally {
      open -= 1;
      if (open === 0) sumMs += clock.now() - sinceMs;
    }
  };
  return { watched: { ...options, canUseTool: ask }, questions };
}
