import { createHash } from "node:crypto";
import { estimateTokens, type InputUsage } from "../api/api-message.ts";
import { blocksOf, type MessagesRequest, type RequestBlock, textOf } from "../api/messages-request.ts";

interface Segment {
  /** The hash of everything up to and including this block. */
  readonly prefix: string;
  readonly tokens: number;
  readonly ttl: "5m" | "1h" | undefined;
}

/** Remembers the prefixes that requests marked for caching, so that a repeated prefix is a cache read. */
export class PromptCache {
  readonly #prefixes = new BoundedMap<string, true>(50_000);

  /** Counts a request's tokens, and takes up what it marked. */
  measure(request: MessagesRequest): InputUsage {
    const segments = toSegments(request);
    const lastMark = segments.findLastIndex(({ ttl }) => ttl !== undefined);
    const lastHit = segments.findLastIndex(({ prefix }, index) => index <= lastMark && this.#prefixes.get(prefix));
    for (const { prefix, ttl } of segments) if (ttl !== undefined) this.#prefixes.set(prefix, true);
    const written = sumTokens(segments.slice(lastHit + 1, lastMark + 1));
    const isHour = segments[lastMark]?.ttl === "1h";
    return {
      input_tokens: sumTokens(segments.slice(Math.max(lastMark, lastHit) + 1)),
      cache_read_input_tokens: sumTokens(segments.slice(0, lastHit + 1)),
      cache_creation_input_tokens: written,
      cache_creation: {
        ephemeral_5m_input_tokens: isHour ? 0 : written,
        ephemeral_1h_input_tokens: isHour ? written : 0,
      },
    };
  }
}

export function countInputTokens(request: MessagesRequest): number {
  return sumTokens(toSegments(request));
}

function toSegments(request: MessagesRequest): readonly Segment[] {
  const hash = createHash("sha1").update(request.model);
  const blocks = [
    ...((request.tools ?? []) as unknown as readonly RequestBlock[]),
    ...blocksOf(request.system).filter((block) => !textOf(block)?.startsWith("x-anthropic-billing-header")),
    ...request.messages.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ ...block, role }))),
  ];
  return blocks.map((block) => {
    const { cache_control: mark, ...content } = block as RequestBlock & { cache_control?: { ttl?: string } | null };
    const json = JSON.stringify(content);
    hash.update(json);
    const ttl = mark ? (mark.ttl === "1h" ? "1h" : "5m") : undefined;
    return { prefix: hash.copy().digest("base64"), tokens: estimateTokens(json), ttl };
  });
}

function sumTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * The two counts that no request carries: how often a response was tried, for faults that happen N times, and which
 * rollout of a prompt a session is, for alternatives. A script's place is never kept here.
 */
export class Tally {
  readonly #attempts = new BoundedMap<string, number>(10_000);
  readonly #rollouts = new BoundedMap<string, number>(10_000);
  readonly #rolloutsOfPrompt = new BoundedMap<string, number>(10_000);

  /** How often this response was asked for before, by the same session. */
  countAttempt(sessionId: string, prompt: string, position: number): number {
    return countUp(this.#attempts, JSON.stringify([sessionId, prompt, position]));
  }

  /** The number of this session among those that were given this prompt; the same again when it asks again. */
  rolloutOf(sessionId: string, prompt: string): number {
    const key = JSON.stringify([sessionId, prompt]);
    const known = sessionId === "" ? undefined : this.#rollouts.get(key);
    if (known !== undefined) return known;
    const rollout = countUp(this.#rolloutsOfPrompt, prompt);
    this.#rollouts.set(key, rollout);
    return rollout;
  }
}

function countUp(counts: BoundedMap<string, number>, key: string): number {
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

/** A map that forgets what was used longest ago, so that a server that runs for weeks does not grow. */
class BoundedMap<Key, Value> {
  readonly #capacity: number;
  readonly #entries = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value as Key);
  }
}
