import { SkeinError, createEventBus, isoTime, type Clock, type SkeinErrorOptions } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import { PROVIDERS } from "../start-up/credentials.ts";
import type { BreakerPolicy } from "./resilience-policy.ts";

/** Whether turns are let through: all, none, or one at a time to try. */
type BreakerPosition = "closed" | "open" | "half-open";

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

interface Phase {
  readonly type: BreakerPosition;
  readonly openedAt: number;
  failures: number;
  successes: number;
  isTrying: boolean;
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

export function createCircuitBreaker(options: {
  readonly key: string;
  readonly policy: BreakerPolicy;
  readonly clock: Clock;
  readonly onChange?: (from: BreakerPosition, to: BreakerPosition) => void;
}) {
  const { key, policy, clock, onChange } = options;
  const closed: Phase = { type: "closed", openedAt: 0, failures: 0, successes: 0, isTrying: false };
  let phase = { ...closed };

  const enter = (next: Phase): void => {
    const from = phase.type;
    phase = { ...next, successes: 0, isTrying: false };
    onChange?.(from, next.type);
  };

  /** Time alone makes an open breaker half-open; whoever looks at it sees to that. */
  const present = (): Phase => {
    if (phase.type === "open" && clock.now() >= phase.openedAt + policy.openMs) enter({ ...phase, type: "half-open" });
    return phase;
  };

  const count = (outcome: BreakerOutcome): void => {
    phase.isTrying = false;
    if (outcome === "failure") {
      phase.failures += 1;
      const isTooMany = phase.type === "half-open" || phase.failures >= policy.maxFailures;
      if (isTooMany) enter({ ...phase, type: "open", openedAt: clock.now() });
    }
    if (outcome === "success") {
      phase.successes += 1;
      if (phase.type === "closed") phase.failures = 0;
      else if (phase.successes >= policy.neededSuccesses) enter(closed);
    }
  };

  return {
    /** Lets a turn through, which has to be told how it ended, or throws a CircuitOpenError at once. */
    admit() {
      const during = present();
      if (during.type === "open") throw refusal(key, during.openedAt + policy.openMs, clock.now());
      if (during.isTrying) throw refusal(key);
      during.isTrying = during.type === "half-open";
      let isReported = false;
      return {
        /** Counts the turn, once. One that began before the last change says nothing about what came after it. */
        report(outcome: BreakerOutcome): void {
          if (!isReported && during === phase) count(outcome);
          isReported = true;
        },
      };
    },
    /** How long it will still refuse every turn; 0 unless it is open. */
    openForMs(): number {
      const { type, openedAt } = present();
      return type === "open" ? openedAt + policy.openMs - clock.now() : 0;
    },
    state: () => describe(key, present(), policy),
  };
}

function describe(key: string, { type, failures, openedAt }: Phase, { openMs }: BreakerPolicy): BreakerState {
  const closed = { key, state: type, failures };
  const opened = { ...closed, openedAt: isoTime(openedAt) };
  if (type === "open") return { ...opened, halfOpenAt: isoTime(openedAt + openMs) };
  return type === "closed" ? closed : opened;
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

export type BreakerRegistry = ReturnType<typeof createBreakerRegistry>;

/** Makes a registry; a breaker is made, closed, when it is first asked for. */
export function createBreakerRegistry(policy: BreakerPolicy, clock: Clock) {
  const breakers = new Map<string, CircuitBreaker>();
  const bus = createEventBus<BreakerChange>();
  return {
    get(key: string): CircuitBreaker {
      const onChange = (from: BreakerPosition, to: BreakerPosition): void =>
        bus.publish({ type: "breaker-change", timestamp: isoTime(clock.now()), key, from, to });
      const breaker = breakers.get(key) ?? createCircuitBreaker({ key, policy, clock, onChange });
      breakers.set(key, breaker);
      return breaker;
    },
    states: () => [...breakers.values()].map((breaker) => breaker.state()),
    subscribe: (listener: (change: BreakerChange) => void) => bus.subscribe(listener),
  };
}

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
