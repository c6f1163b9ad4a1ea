import { createEventBus, isoTime, type Clock } from "../../core/index.ts";
import {
  createCircuitBreaker,
  type BreakerPosition,
  type BreakerState,
  type CircuitBreaker,
} from "./circuit-breaker.ts";
import type { BreakerPolicy } from "./resilience-policy.ts";

/** A breaker opened, or closed, or lets a turn through to try. */
export interface BreakerChange {
  readonly type: "breaker-change";
  readonly timestamp: string;
  readonly key: string;
  readonly from: BreakerPosition;
  readonly to: BreakerPosition;
}

/** The breakers of one engine, by key. */
export interface BreakerRegistry {
  /** The breaker of this name; made, closed, where there was none. */
  get(key: string): CircuitBreaker;
  states(): readonly BreakerState[];
  /** Tells of every change; gives the function that ends it. */
  subscribe(listener: (change: BreakerChange) => void): () => void;
}

/** Makes an empty registry. */
export function createBreakerRegistry(policy: BreakerPolicy, clock: Clock): BreakerRegistry {
  const breakers = new Map<string, CircuitBreaker>();
  const bus = createEventBus<BreakerChange>();
  return {
    get(key) {
      const known = breakers.get(key);
      if (known) return known;
      const onChange = (from: BreakerPosition, to: BreakerPosition): void =>
        bus.publish({ type: "breaker-change", timestamp: isoTime(clock.now()), key, from, to });
      const made = createCircuitBreaker({ key, policy, clock, onChange });
      breakers.set(key, made);
      return made;
    },
    states: () => [...breakers.values()].map((breaker) => breaker.state()),
    subscribe: (listener) => bus.subscribe(listener),
  };
}
