import { defined, isEvent, type SkeinEvent, type EventOf } from "../../core/internal.ts";
import { findCut, findSecrets, replaceSecrets, type FoundSecret, type SecretFinder } from "./find-secrets.ts";

/** Takes the secrets out of what belongs to one turn. */
export type TurnRedactor = ReturnType<typeof createTurnRedactor>;

/** These tie events together, and are made by the engine. */
const KEPT_FIELDS: ReadonlySet<string> = new Set(["type", "timestamp", "sessionId", "parentToolUseId", "toolUseId"]);

/** Makes the redactor of a turn. `onFound` is told of each secret, and where it was. */
export function createTurnRedactor(
  finders: readonly SecretFinder[],
  onFound: (secret: FoundSecret, place: "prompt" | "event") => void,
) {
  // One for each text that is being written: texts, thinking and inputs, of the main conversation and of each sub-agent.
  const texts = new Map<string, DeltaRedactor>();

  const redactIn =
    (place: "prompt" | "event"): Redact =>
    (text) => {
      const secrets = findSecrets(text, finders);
      for (const secret of secrets) onFound(secret, place);
      return replaceSecrets(text, secrets);
    };
  const redact = redactIn("event");

  const textOf = (place: string): DeltaRedactor => {
    const text = texts.get(place) ?? createDeltaRedactor(finders, (secret) => onFound(secret, "event"));
    texts.set(place, text);
    return text;
  };

  return {
    redact: redactIn("prompt"),
    /** What can be shown of an event: it without its secrets, or nothing yet. */
    read(event: SkeinEvent): SkeinEvent | readonly SkeinEvent[] {
      // Another attempt, of the turn or of a request to the model, writes its texts from their start.
      if (event.type === "turn-start" || (event.type === "status" && event.status === "api_retry")) texts.clear();
      if (isEvent(event, "text-delta", "thinking-delta", "tool-input-delta"))
        return redactPiece(event, textOf(placeOf(event)), redact);
      if (isEvent(event, "text", "thinking", "tool-start"))
        return [...restOf(event, textOf(placeOf(event))), redactEvent(event, redact)];
      return redactEvent(event, redact);
    },
  };
}

type Piece = EventOf<"text-delta" | "thinking-delta" | "tool-input-delta">;
type Whole = EventOf<"text" | "thinking" | "tool-start">;

/** What a piece is a piece of: each call has an input of its own, each writer one text and one line of thought at a time. */
function placeOf(event: Piece | Whole): string {
  if ("toolUseId" in event) return `input ${event.toolUseId}`;
  return `${event.type.startsWith("text") ? "text" : "thinking"} ${event.parentToolUseId ?? ""}`;
}

/** The raw message has the piece as it came: it can go along only where that is what is shown. */
function redactPiece(event: Piece, text: DeltaRedactor, redact: Redact): readonly SkeinEvent[] {
  const piece = event.type === "tool-input-delta" ? event.json : event.text;
  const shown = text.push(piece);
  if (shown === piece) return [{ ...event, ...("raw" in event ? { raw: redactValue(event.raw, redact) } : {}) }];
  const { raw: _raw, ...rest } = event;
  if (shown === "") return [];
  return [rest.type === "tool-input-delta" ? { ...rest, json: shown } : { ...rest, text: shown }];
}

/** The end of a text that was held back, as the last piece before the whole of it. */
function restOf(whole: Whole, text: DeltaRedactor): readonly Piece[] {
  // The input of a call is written in words of its own, and no other text has its id.
  const rest = text.flush(whole.type === "tool-start" ? undefined : whole.text);
  if (rest === "") return [];
  const { timestamp, sessionId, parentToolUseId } = whole;
  const base = { timestamp, ...defined({ sessionId, parentToolUseId }) };
  if (whole.type === "text") return [{ ...base, type: "text-delta", text: rest }];
  if (whole.type === "thinking") return [{ ...base, type: "thinking-delta", text: rest }];
  const { toolUseId, tool } = whole;
  return [{ ...base, type: "tool-input-delta", toolUseId, tool, json: rest }];
}

function redactEvent(event: SkeinEvent, redact: Redact): SkeinEvent {
  const kept = Object.entries(event).filter(([field]) => KEPT_FIELDS.has(field));
  return { ...redactValue(event, redact), ...Object.fromEntries(kept) };
}

/** Longer than any key; a text that may still be a secret after so much is not shown piece by piece. */
const MAX_HELD = 16_384;
/** What a pattern can see of the text before a secret. */
const CONTEXT = 128;

type DeltaRedactor = ReturnType<typeof createDeltaRedactor>;

/** Takes the secrets out of a text that comes in pieces: what may be the beginning of one is held back. `onFound` is told of each once. */
export function createDeltaRedactor(
  finders: readonly SecretFinder[],
  onFound: (secret: FoundSecret) => void = () => {},
) {
  let [context, held, isMuted] = ["", "", false];

  const release = (text: string, secrets: readonly FoundSecret[], to: number): string => {
    const from = context.length;
    for (const secret of secrets) if (secret.end <= to) onFound(secret);
    context = text.slice(Math.max(0, to - CONTEXT), to);
    held = text.slice(to);
    return replaceSecrets(text, secrets, [from, to]);
  };

  return {
    push(piece: string): string {
      if (isMuted) return "";
      const text = context + held + piece;
      const secrets = findSecrets(text, finders, context.length);
      const cut = findCut(text, finders, context.length);
      const across = secrets.find(({ start, end }) => start < cut && cut < end);
      const shown = release(text, secrets, across?.start ?? cut);
      if (held.length <= MAX_HELD) return shown;
      isMuted = true;
      return `${shown}[redacted]`;
    },
    /** The text is complete: the rest that can be shown. The whole of it, where that is known, tells whether it is this text's rest. */
    flush(whole?: string): string {
      const text = context + held;
      // What was held back of another text, one that broke off, may be half a secret.
      const isRest = !isMuted && (whole === undefined || whole.endsWith(held));
      const rest = isRest ? release(text, findSecrets(text, finders, context.length), text.length) : "";
      [context, held, isMuted] = ["", "", false];
      return rest;
    },
  };
}

/** Deeper than any event; what is deeper, or goes round in a circle, is not let through unseen. */
const MAX_DEPTH = 200;

export type Redact = (text: string) => string;

/** Plain data with every string in it redacted, the names of fields too. */
export function redactValue<Value>(value: Value, redact: Redact, depth = 0): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "[redacted]" as Value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item as unknown, redact, depth + 1)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactValue(field as unknown, redact, depth + 1)]),
  ) as Value;
}
