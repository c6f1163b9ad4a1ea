import { BoundedMap } from "./bounded-map.ts";

/**
 * The two counts that no request carries: how often a response was tried, for faults that happen N times, and the
 * how-manyeth rollout of a prompt a session is, for alternatives. A script's place is never kept here.
 */
export class Tally {
  readonly #attempts = new BoundedMap<string, number>(10_000);
  readonly #rollouts = new BoundedMap<string, number>(10_000);
  readonly #rolloutsOfPrompt = new BoundedMap<string, number>(10_000);

  /** How often this response was asked for before, by the same session. */
  countAttempt(sessionId: string, prompt: string, position: number): number {
    const key = JSON.stringify([sessionId, prompt, position]);
    const before = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, before + 1);
    return before;
  }

  /** The number of this session among those that were given this prompt; the same again when it asks again. */
  rolloutOf(sessionId: string, prompt: string): number {
    const key = JSON.stringify([sessionId, prompt]);
    const known = sessionId === "" ? undefined : this.#rollouts.get(key);
    if (known !== undefined) return known;
    const rollout = this.#rolloutsOfPrompt.get(prompt) ?? 0;
    this.#rolloutsOfPrompt.set(prompt, rollout + 1);
    this.#rollouts.set(key, rollout);
    return rollout;
  }
}
