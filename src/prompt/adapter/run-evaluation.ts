import { SkeinError, systemClock, type SkeinEvent } from "../../core/index.ts";
import type { Transition } from "../../trace/index.ts";
import type { Prompt } from "../prompt.ts";
import { sectionText } from "../rendered-prompt.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter-options.ts";
import { createEvaluationEvents } from "./evaluation-events.ts";
import { assemble, shapeOf, type EvaluationParts } from "./evaluation-parts.ts";
import { evaluationTurn } from "./evaluation-turn.ts";
import { createLimits } from "./limits.ts";
import { openPlace } from "./open-place.ts";
import type { PromptResponse } from "./prompt-response.ts";
import { stoppedBefore, toResponse } from "./to-response.ts";

/**
 * Evaluates a prompt: the events of its turn, then what it came to. Where the model opens sections, another turn follows with
 * their text and their tools.
 */
export async function* runEvaluation<Output>(
  prompt: Prompt<Output>,
  adapter: AdapterOptions,
  options: EvaluateOptions,
): AsyncGenerator<SkeinEvent, PromptResponse<Output>, void> {
  const clock = adapter.clock ?? systemClock;
  const limits = createLimits(options, clock);
  const first = prompt.render();
  const shape = shapeOf(first);
  if (options.signal?.aborted) throw new SkeinError("The evaluation was cancelled", { kind: "cancelled" });
  const events = createEvaluationEvents(options.session, first.descriptor, clock);
  const end = limits.exhausted();
  if (end) return stoppedBefore(first, end, events);
  await using place = await openPlace(prompt, adapter);
  // Once its directory is there, a workspace section tells what is in it.
  const rendered = place.prompt.render();
  const { workspace } = place;
  const parts = assemble({ adapter, options, rendered, shape, limits, events, workspace, clock });
  try {
    const response = await toResponse(parts, yield* runTurns(parts, place.prompt));
    return place.isFleeting ? await withoutRecord(response) : response;
  } finally {
    parts.close();
  }
}

/** The response of an evaluation whose record goes now: its turn has what is left of it in memory. */
async function withoutRecord<Response extends PromptResponse<unknown>>(response: Response): Promise<Response> {
  return response.transition ? { ...response, transition: await response.transition.detach() } : response;
}

/** The turn of the prompt, and one more each time that the model opens sections. */
async function* runTurns<Output>(
  parts: EvaluationParts<Output>,
  prompt: Prompt<Output>,
): AsyncGenerator<SkeinEvent, readonly Transition[], void> {
  const { rendered, events, limits, options, ending, signal } = parts;
  const turns: Transition[] = [];
  let shown = { prompt, rendered, text: rendered.text };
  for (let from = options.from; ; from = turns.at(-1)?.conversationId) {
    events.promptRendered(shown.rendered);
    turns.push(yield* evaluationTurn(parts, { ...shown, from }));
    const opened = parts.takeOpened();
    if (opened.length === 0 || signal.aborted) return turns;
    const end = limits.exhausted();
    if (end) {
      ending.exhausted ??= end;
      return turns;
    }
    const next = shown.prompt.open(opened);
    const more = next.render();
    shown = { prompt: next, rendered: more, text: sectionText(more, opened) };
  }
}
