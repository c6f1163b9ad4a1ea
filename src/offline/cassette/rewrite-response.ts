import { parseJson } from "../../core/internal.ts";
import type { RecordedEvent, RecordedResponse } from "./cassette.ts";
import { escapeForJson, substitute, type Substitution } from "./substitution.ts";

/** The kinds of pieces that a block is streamed in, and where each holds its text. */
const DELTA_FIELDS = { text_delta: "text", thinking_delta: "thinking", input_json_delta: "partial_json" } as const;

/** Substitutes in a recorded answer, also where the stream has split a text over many events. */
export function rewriteResponse(response: RecordedResponse, substitutions: readonly Substitution[]): RecordedResponse {
  if (substitutions.length === 0) return response;
  if (response.type === "stream") return { ...response, events: rewriteEvents(response.events, substitutions) };
  const [body = ""] = substitute([response.body], escapeForJson(substitutions));
  return { ...response, body };
}

function rewriteEvents(events: readonly RecordedEvent[], substitutions: readonly Substitution[]): RecordedEvent[] {
  const escaped = escapeForJson(substitutions);
  const texts = events.map(({ text }) => text);
  const deltas = texts.flatMap((text, at) => parseDelta(text, at) ?? []);
  const rewritten = new Map<number, string>();
  for (const block of new Set(deltas.map((delta) => delta.block))) {
    const ofBlock = deltas.filter((delta) => delta.block === block);
    const isJson = ofBlock[0]?.field === "partial_json";
    const pieces = substitute(
      ofBlock.map(({ piece }) => piece),
      isJson ? escaped : substitutions,
    );
    for (const [index, piece] of pieces.entries()) {
      const delta = ofBlock[index]!;
      if (piece !== delta.piece) rewritten.set(delta.at, formatDelta(delta, piece));
    }
  }
  return events.map((event, at) => ({ ...event, text: rewritten.get(at) ?? substitute([event.text], escaped)[0]! }));
}

/** A piece of a block's text; `at` is its event in the stream, and pieces of one `block` belong together. */
function parseDelta(text: string, at: number) {
  const line = /^data: ?(\{.*"content_block_delta".*\})\r?$/m.exec(text)?.[1];
  if (line === undefined) return undefined;
  const data = parseJson(line) as { index?: unknown; delta?: Record<string, unknown> } | undefined;
  const field = DELTA_FIELDS[data?.delta?.["type"] as keyof typeof DELTA_FIELDS];
  const piece = data?.delta?.[field];
  if (data?.delta === undefined || typeof piece !== "string") return undefined;
  return { at, block: `${String(data.index)} ${field}`, field, data: { ...data, delta: data.delta }, piece };
}

function formatDelta({ data, field }: NonNullable<ReturnType<typeof parseDelta>>, piece: string): string {
  const changed = { ...data, delta: { ...data.delta, [field]: piece } };
  return `event: content_block_delta\ndata: ${JSON.stringify(changed)}\n\n`;
}
