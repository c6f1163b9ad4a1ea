import { SkeinError, systemClock, type TurnStream } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { createEngine, type Engine, type EngineSession } from "../engine.ts";
import { readPrompt, type PromptInput } from "../prompts/claude-prompt.ts";
import { engineSettingsKey, hashSettings } from "../settings-key.ts";
import { keepSession, sessionOver, type KeptSession } from "../turns/keep-session.ts";
import { breakerKey, createBreakerRegistry, type BreakerChange, type BreakerState } from "./circuit-breaker.ts";
import { createBulkhead, deadlinePassed } from "./bulkhead.ts";
import { checkPolicy, type CheckedPolicy, type ResiliencePolicy } from "./resilience-policy.ts";
import { runResilientTurn } from "./run-resilient-turn.ts";

/** An engine that outlasts what passes: it tries again, goes on where it was, and leaves a broken endpoint alone. */
export interface ResilientEngine extends Engine {
  /** The state of every breaker that a turn has met so far. */
  breakers(): readonly BreakerState[];
  /** Tells of every breaker that opens, closes or half-opens; gives the function that ends it. */
  onBreakerChange(listener: (change: BreakerChange) => void): () => void;
}

/** Makes an engine resilient. What it gives is an engine too, so that it can be put wherever one is asked for. */
export function createResilientEngine(engine: Engine, policy: ResiliencePolicy = {}): ResilientEngine {
  return createResilience(policy).wrap(engine);
}

/** A policy with its breakers and its bulkhead, for engines that share them. */
export interface Resilience {
  /** Each engine may have retries of its own. */
  wrap(engine: Engine, retry?: ResiliencePolicy["retry"]): ResilientEngine;
}

interface Inner {
  readonly engine: Pick<Engine, "stream">;
  readonly policy: CheckedPolicy;
}

export function createResilience(given: ResiliencePolicy = {}): Resilience {
  const { clock = systemClock, random = Math.random, env = process.env } = given;
  const checked = checkPolicy(given);
  const breakers = createBreakerRegistry(checked.breaker, clock);
  const bulkhead = checked.bulkhead && createBulkhead(checked.bulkhead, clock);
  const keyOf = given.breakerKey ?? ((options: ClaudeOptions) => breakerKey(options, env));

  async function* outlast(inner: Inner, input: PromptInput, options: ClaudeOptions): TurnStream {
    const prompt = await readPrompt(input, options.signal);
    const deadline = Math.min(checked.deadline ?? Infinity, options.deadline ?? Infinity);
    if (clock.now() >= deadline) throw deadlinePassed();
    const leave = await bulkhead?.enter({ deadline, signal: options.signal });
    try {
      const limited = deadline === Infinity ? options : { ...options, deadline };
      const context = { ...inner, breakers, breakerKey: keyOf, clock, random, deadline };
      return yield* runResilientTurn(context, { prompt, options: limited });
    } finally {
      leave?.();
    }
  }

  const openOutlasting = (kept: KeptSession, options: ClaudeOptions, policy: CheckedPolicy): EngineSession => ({
    ...sessionOver(kept, options, (prompt, turnOptions = {}) => outlast({ engine: kept, policy }, prompt, turnOptions)),
    async addPrompt(prompt) {
      if (!kept.current?.addPrompt) throw new SkeinError("No turn is running", { kind: "usage" });
      await kept.current.addPrompt(prompt);
    },
  });

  const wrap: Resilience["wrap"] = (engine, retry) => {
    const own = retry === undefined ? checked : { ...checked, retry: checkPolicy({ retry }).retry };
    const stream: Engine["stream"] = (prompt, options = {}) => outlast({ engine, policy: own }, prompt, options);
    const open = engine.open?.bind(engine);
    return {
      ...createEngine(stream),
      ...(open ? { open: (options = {}) => openOutlasting(keepSession(open, options), options, own) } : {}),
      settingsKey: (options) => hashSettings([engineSettingsKey(engine, options), checked.fallbackModel]),
      breakers: () => breakers.states(),
      onBreakerChange: (listener) => breakers.subscribe(listener),
    };
  };
  return { wrap };
}
