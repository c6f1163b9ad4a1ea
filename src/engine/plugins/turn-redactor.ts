import {
  isEvent,
  type SkeinEvent,
  type TextDeltaEvent,
  type TextEvent,
  type ThinkingDeltaEvent,
  type ThinkingEvent,
  type ToolInputDeltaEvent,
  type ToolStartEvent,
} from "../../core/index.ts";
import { given } from "../options/given.ts";
import { createDeltaRedactor, type DeltaRedactor } from "./delta-redactor.ts";
import { findSecrets, replaceSecrets, type FoundSecret, type SecretFinder } from "./find-secrets.ts";
import { redactValue, type Redact } from "./redact-value.ts";

/** Takes the secrets out of what belongs to one turn. */
export interface TurnRedactor {
  /** A text of the prompt or the options without its secrets. */
  readonly redact: Redact;
  /** What can be shown of an event: it without its secrets, or nothing yet. */
  read(event: SkeinEvent): SkeinEvent | readonly SkeinEvent[];
}

/** These tie events together, and are made by the engine. */
const KEPT_FIELDS: ReadonlySet<string> = new Set(["type", "timestamp", "sessionId", "parentToolUseId", "toolUseId"]);

/** Makes the redactor of a turn. `onFound` is told of each secret, and where it was. */
export function createTurnRedactor(
  finders: readonly SecretFinder[],
  onFound: (secret: FoundSecret, place: "prompt" | "event") => void,
): TurnRedactor {
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
    const known = texts.get(place);
    if (known) return known;
    const made = createDeltaRedactor(finders, (secret) => onFound(secret, "event"));
    texts.set(place, made);
    return made;
  };

  return {
    redact: redactIn("prompt"),
    read(event) {
      if (beginsAnew(event)) texts.clear();
      if (isPiece(event)) return redactPiece(event, textOf(placeOf(event)), redact);
      if (isWhole(event)) return [...restOf(event, textOf(placeOf(event))), redactEvent(event, redact)];
      return redactEvent(event, redact);
    },
  };
}

/** Another attempt, of the turn or of a request to the model, writes its texts from their start. */
function beginsAnew(event: SkeinEvent): boolean {
  return event.type === "turn-start" || (event.type === "status" && event.status === "api_retry");
}

type Piece = TextDeltaEvent | ThinkingDeltaEvent | ToolInputDeltaEvent;
type Whole = TextEvent | ThinkingEvent | ToolStartEvent;

function isPiece(event: SkeinEvent): event is Piece {
  return isEvent(event, "text-delta", "thinking-delta", "tool-input-delta");
}

function isWhole(event: SkeinEvent): event is Whole {
  return isEvent(event, "text", "thinking", "tool-start");
}

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
  const base = { timestamp, ...given({ sessionId, parentToolUseId }) };
  if (whole.type === "text") return [{ ...base, type: "text-delta", text: rest }];
  if (whole.type === "thinking") return [{ ...base, type: "thinking-delta", text: rest }];
  const { toolUseId, tool } = whole;
  return [{ ...base, type: "tool-input-delta", toolUseId, tool, json: rest }];
}

function redactEvent(event: SkeinEvent, redact: Redact): SkeinEvent {
  const kept = Object.entries(event).filter(([field]) => KEPT_FIELDS.has(field));
  return { ...redactValue(event, redact), ...Object.fromEntries(kept) };
}
