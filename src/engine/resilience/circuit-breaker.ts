import { ConsecutiveBreaker } from "cockatiel";
import { SkeinError, createEventBus, isoTime, type Clock, type SkeinErrorOptions } from "../../core/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import type { BreakerPolicy } from "./resilience-policy.ts";

/** Whether turns are let through: all, none, or one at a time to try. */
export type BreakerPosition = "closed" | "open" | "half-open";

/** A breaker as data. */
export interface BreakerState {
  readonly key: string;
  readonly state: BreakerPosition;
  /** Failures in a row. */
  readonly failures: number;
  /** When it opened last; absent while it is closed. */
  readonly openedAt?: string;
  /** When it lets a turn through to try; absent unless it is open. */
  readonly halfOpenAt?: string;
}

/** How a turn ended, as far as its endpoint goes: `neutral` says nothing about it. */
export type BreakerOutcome = "success" | "failure" | "neutral";

/** Leave to run one turn, which has to be told how it ended. */
export interface Permit {
  /** Counts the turn, once. */
  report(outcome: BreakerOutcome): void;
}

/** Keeps turns from an endpoint that fails. */
export interface CircuitBreaker {
  /** Lets a turn through, or throws a CircuitOpenError at once. */
  admit(): Permit;
  /** How long it will still refuse every turn; 0 unless it is open. */
  openForMs(): number;
  state(): BreakerState;
}

type Phase =
  | { readonly type: "closed"; readonly count: ConsecutiveBreaker }
  | { readonly type: "open"; readonly openedAt: number; readonly failures: number }
  | {
      readonly type: "half-open";
      readonly openedAt: number;
      readonly failures: number;
      successes: number;
      isTrying: boolean;
    };

/**
 * Makes a closed breaker. cockatiel's own policy reads `Date.now`, closes at the first success, takes a cancelled try for
 * one, and lets callers wait for the try, which is a whole turn here; so only its counter is used.
 */
export function createCircuitBreaker(options: {
  readonly key: string;
  readonly policy: BreakerPolicy;
  readonly clock: Clock;
  readonly onChange?: (from: BreakerPosition, to: BreakerPosition) => void;
}): CircuitBreaker {
  const { key, policy, clock, onChange } = options;
  let phase = closed(policy);

  function enter(next: Phase): void {
    const from = phase.type;
    phase = next;
    onChange?.(from, next.type);
  }

  /** Time alone makes an open breaker half-open; whoever looks at it sees to that. */
  function present(): Phase {
    if (phase.type === "open" && clock.now() >= phase.openedAt + policy.openMs) {
      enter({ ...phase, type: "half-open", successes: 0, isTrying: false });
    }
    return phase;
  }

  function count(during: Phase, outcome: BreakerOutcome): void {
    // A turn that began before the last change says nothing about what came after it.
    if (during !== phase) return;
    const next = phaseAfter(during, outcome, policy, clock.now());
    if (next !== phase) enter(next);
  }

  return {
    admit() {
      const during = present();
      if (during.type === "open") throw refusal(key, during.openedAt + policy.openMs, clock.now());
      if (during.type === "half-open") {
        if (during.isTrying) throw refusal(key);
        during.isTrying = true;
      }
      let isReported = false;
      return {
        report(outcome) {
          if (!isReported) count(during, outcome);
          isReported = true;
        },
      };
    },
    openForMs() {
      const during = present();
      return during.type === "open" ? during.openedAt + policy.openMs - clock.now() : 0;
    },
    state: () => describe(key, present(), policy),
  };
}

/** Counts an outcome; gives another phase where it is one too many, or enough. */
function phaseAfter(phase: Phase, outcome: BreakerOutcome, policy: BreakerPolicy, now: number): Phase {
  switch (phase.type) {
    case "open":
      return phase;
    case "closed":
      if (outcome === "success") phase.count.success();
      if (outcome !== "failure" || !phase.count.failure()) return phase;
      return { type: "open", openedAt: now, failures: phase.count.state };
    case "half-open":
      phase.isTrying = false;
      if (outcome === "failure") return { type: "open", openedAt: now, failures: phase.failures + 1 };
      if (outcome === "success") phase.successes += 1;
      return phase.successes < policy.neededSuccesses ? phase : closed(policy);
  }
}

function closed({ maxFailures }: BreakerPolicy): Phase {
  return { type: "closed", count: new ConsecutiveBreaker(maxFailures) };
}

function describe(key: string, phase: Phase, { openMs }: BreakerPolicy): BreakerState {
  if (phase.type === "closed") return { key, state: "closed", failures: phase.count.state };
  const { type, failures, openedAt } = phase;
  const opened = { key, state: type, failures, openedAt: isoTime(openedAt) };
  return type === "open" ? { ...opened, halfOpenAt: isoTime(openedAt + openMs) } : opened;
}

function refusal(key: string, halfOpenAt?: number, now = 0): CircuitOpenError {
  return new CircuitOpenError(`The circuit breaker for ${key} is open: the turns before this one failed`, {
    breaker: key,
    target: key,
    ...(halfOpenAt === undefined
      ? { hint: "A turn is testing whether it works again: retry when that turn ends." }
      : {
          retryAfterMs: halfOpenAt - now,
          hint: `It lets a turn through at ${isoTime(halfOpenAt)}; wait until then, or use another model.`,
        }),
  });
}

/** A breaker opened, or closed, or lets a turn through to try. */
export interface BreakerChange {
  readonly type: "breaker-change";
  readonly timestamp: string;
  readonly key: string;
  readonly from: BreakerPosition;
  readonly to: BreakerPosition;
}

/** The breakers of one engine, by key. */
export type BreakerRegistry = ReturnType<typeof createBreakerRegistry>;

/** Makes a registry; a breaker is made, closed, when it is first asked for. */
export function createBreakerRegistry(policy: BreakerPolicy, clock: Clock) {
  const breakers = new Map<string, CircuitBreaker>();
  const bus = createEventBus<BreakerChange>();
  return {
    get(key: string): CircuitBreaker {
      const known = breakers.get(key);
      if (known) return known;
      const onChange = (from: BreakerPosition, to: BreakerPosition): void =>
        bus.publish({ type: "breaker-change", timestamp: isoTime(clock.now()), key, from, to });
      const made = createCircuitBreaker({ key, policy, clock, onChange });
      breakers.set(key, made);
      return made;
    },
    states: () => [...breakers.values()].map((breaker) => breaker.state()),
    subscribe: (listener: (change: BreakerChange) => void) => bus.subscribe(listener),
  };
}

const PROVIDERS = [
  ["CLAUDE_CODE_USE_BEDROCK", "bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "vertex"],
  ["CLAUDE_CODE_USE_FOUNDRY", "foundry"],
] as const;

/** Names what a turn depends on: the endpoint and the model. */
export function breakerKey(options: ClaudeOptions, env: EnvVariables): string {
  return `${endpointOf({ ...env, ...options.env })} ${options.model ?? "default"}`;
}

/** Where an environment sends the CLI's requests: a base URL without anything secret, or a provider's name. */
export function endpointOf(env: EnvVariables): string {
  const provider = PROVIDERS.find(([variable]) => env[variable]);
  if (provider) return provider[1];
  const baseUrl = env["ANTHROPIC_BASE_URL"];
  if (!baseUrl) return "https://api.anthropic.com";
  // Names and passwords in an address are not for logs.
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin + new URL(baseUrl).pathname.replace(/\/$/, "") : "unknown";
}

/** A turn was not begun, because the turns before it failed and their endpoint is left alone for a while. */
export class CircuitOpenError extends SkeinError {
  override readonly name = "CircuitOpenError";
  readonly breaker: string;
  /** How long until a turn is let through; absent while one is out to try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: SkeinErrorOptions & { readonly breaker: string; readonly retryAfterMs?: number | undefined },
  ) {
    super(message, { retryable: true, ...options, kind: "overloaded" });
    this.breaker = options.breaker;
    this.retryAfterMs = options.retryAfterMs;
  }
}
