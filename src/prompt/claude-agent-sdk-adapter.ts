import { drain, type SkeinEvent } from "../core/index.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter/adapter-options.ts";
import { checkAdapter, checkEvaluation } from "./adapter/check-adapter.ts";
import type { PromptResponse } from "./adapter/prompt-response.ts";
import { runEvaluation } from "./adapter/run-evaluation.ts";
import type { Prompt } from "./prompt.ts";

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
    checkEvaluation(options, this.#options);
    return yield* runEvaluation(prompt, this.#options, options);
  }
}
