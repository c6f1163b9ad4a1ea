import { createHash } from "node:crypto";
import { BoundedMap } from "./bounded-map.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { blocksOf, textOf, type MessagesRequest, type RequestBlock } from "./messages-request.ts";

/** The tokens of a request as the API reports them. */
export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

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

/** All the tokens of a request, cached or not. */
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
