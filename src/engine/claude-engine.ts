import { drain, failedResult, systemClock, type TurnResult, type TurnStream } from "../core/internal.ts";
import { readTask, type PromptInput } from "./prompts/claude-prompt.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import { ClaudeSDKClient } from "./claude-sdk-client.ts";
import { orThrow, type Engine, type EngineSession } from "./engine.ts";
import { parseClaudeOptions } from "./options/parse-options.ts";
import { runTurn } from "./turns/run-turn.ts";
import { settingsKey } from "./settings-key.ts";
import { startSession, warmSessions, type EngineDependencies } from "./start-up/start-session.ts";
import { findMoneyLimit, moneySpent, type MoneyLimit } from "./turns/turn-budget.ts";
import { turnEnd } from "./turns/turn-result.ts";

/** Runs turns with the real Claude Code CLI, through the Claude Agent SDK. Each turn has a process of its own. */
export class ClaudeEngine implements Engine {
  readonly #defaults: ClaudeOptions;
  readonly #dependencies: EngineDependencies;

  /** `defaults` hold for every turn; a turn's own options come before them. */
  constructor(defaults: ClaudeOptions = {}, dependencies: EngineDependencies = {}) {
    this.#defaults = defaults;
    this.#dependencies = dependencies;
  }

  /** Fills the pool with spares for this engine's turns, and resolves when they wait. Without a pool it does nothing. */
  async warm(options: ClaudeOptions = {}): Promise<void> {
    await warmSessions(this.#merge(options), this.#dependencies);
  }

  async execute(prompt: PromptInput, options: ClaudeOptions = {}): Promise<TurnResult> {
    return await drain(this.stream(prompt, options));
  }

  async run(prompt: PromptInput, options: ClaudeOptions = {}): Promise<TurnResult> {
    return orThrow(await this.execute(prompt, options));
  }

  async *stream(input: PromptInput, options: ClaudeOptions = {}): TurnStream {
    const merged = this.#merge(options);
    const prompt = await readTask(input, merged.signal);
    const limit = findMoneyLimit(merged);
    if (limit?.usd === 0) return yield* this.#refuse(limit, merged);
    await using session = await startSession(merged, this.#dependencies, prompt);
    session.endInput();
    return yield* runTurn(session, merged, { clock: this.#dependencies.clock ?? systemClock, waitsForTasks: true });
  }

  open(options: ClaudeOptions = {}): EngineSession {
    return new ClaudeSDKClient(this.#merge(options), this.#dependencies);
  }

  settingsKey(options: ClaudeOptions = {}): string {
    return settingsKey(this.#merge(options));
  }

  async *#refuse(limit: MoneyLimit, options: ClaudeOptions): TurnStream {
    parseClaudeOptions(options);
    const { clock = systemClock } = this.#dependencies;
    const end = turnEnd(failedResult(moneySpent(limit), { sessionId: options.resume, model: options.model }), clock);
    yield end;
    return end.result;
  }

  #merge(options: ClaudeOptions): ClaudeOptions {
    return { ...this.#defaults, ...options, env: { ...this.#defaults.env, ...options.env } };
  }
}
