import { drain, SkeinError, systemClock, type SkeinEvent } from "../../core/internal.ts";
import type { Transition } from "../../trace/internal.ts";
import { createOutputShape } from "../output/output-shape.ts";
import type { Prompt } from "../template/prompt.ts";
import { sectionText } from "../template/render-prompt.ts";
import { checkAdapter, checkEvaluation, type AdapterOptions, type EvaluateOptions } from "./adapter-options.ts";
import { createEvaluationEvents } from "./evaluation-events.ts";
import { evaluationTurn } from "./evaluation-turn.ts";
import { openEvaluationWorkspace } from "./evaluation-workspace.ts";
import { beginEvaluation, type Evaluation } from "./evaluation.ts";
import { createLimits } from "./limits.ts";
import { stoppedBefore, toResponse, type PromptResponse } from "./prompt-response.ts";

/** Evaluates prompts with Claude Code: each as one recorded, supervised turn in a workspace. */
export class ClaudeAgentSDKAdapter {
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions = {}) {
    checkAdapter(options);
    this.#options = options;
  }

  /**
   * Runs a prompt to its end. What runs out (time, tokens, money) is told by `stopped`; what fails is thrown: an answer that is not
   * in the prompt's shape as an `OutputError`, a turn that failed as an `EvaluationError`, both with what there is.
   */
  async evaluate<Output>(prompt: Prompt<Output>, options: EvaluateOptions): Promise<PromptResponse<Output>> {
    return await drain(this.stream(prompt, options));
  }

  /** The same as events that end in the response. A reader who leaves cancels the evaluation. */
  async *stream<Output>(
    prompt: Prompt<Output>,
    options: EvaluateOptions,
  ): AsyncGenerator<SkeinEvent, PromptResponse<Output>, void> {
    const adapter = this.#options;
    checkEvaluation(options, adapter);
    const clock = adapter.clock ?? systemClock;
    const limits = createLimits(options, clock);
    const first = prompt.render();
    const { ns, key } = first.descriptor;
    const shape = first.output && createOutputShape(first.output, `${ns}/${key}`);
    if (options.signal?.aborted) throw new SkeinError("The evaluation was cancelled", { kind: "cancelled" });
    const events = createEvaluationEvents(options.session, first.descriptor, clock);
    const end = limits.exhausted();
    if (end) return stoppedBefore(first, end, events);
    await using opened = await openEvaluationWorkspace(prompt, adapter);
    const evaluation = beginEvaluation({ adapter, options, shape, limits, events, clock, ...opened });
    try {
      const response = await toResponse(evaluation, yield* runTurns(evaluation));
      if (!opened.isFleeting || !response.transition) return response;
      // Its record goes now: the turn has what is left of it in memory.
      return { ...response, transition: await response.transition.detach() };
    } finally {
      evaluation.ending.close();
    }
  }
}

/** The turn of the prompt, and one more each time that the model opens sections. */
async function* runTurns(evaluation: Evaluation): AsyncGenerator<SkeinEvent, readonly Transition[], void> {
  const { prompt, rendered, events, limits, options, ending, openings } = evaluation;
  const turns: Transition[] = [];
  let shown = { prompt, rendered, text: rendered.text };
  for (let from = options.from; ; from = turns.at(-1)?.conversationId) {
    events.promptRendered(shown.rendered);
    turns.push(yield* evaluationTurn(evaluation, shown, from));
    const opened = openings.take();
    if (opened.length === 0 || ending.signal.aborted) return turns;
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
