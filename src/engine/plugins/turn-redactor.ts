import type { SkeinEvent, TextDeltaEvent, TextEvent } from "../../core/index.ts";
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
  // One for each text that is being written: the main conversation's, and each sub-agent's.
  const texts = new Map<string, DeltaRedactor>();

  const redactIn =
    (place: "prompt" | "event"): Redact =>
    (text) => {
      const secrets = findSecrets(text, finders);
      for (const secret of secrets) onFound(secret, place);
      return replaceSecrets(text, secrets);
    };
  const redact = redactIn("event");

  const textOf = ({ parentToolUseId = "" }: SkeinEvent): DeltaRedactor => {
    const known = texts.get(parentToolUseId);
    if (known) return known;
    const made = createDeltaRedactor(finders, (secret) => onFound(secret, "event"));
    texts.set(parentToolUseId, made);
    return made;
  };

  return {
    redact: redactIn("prompt"),
    read(event) {
      if (beginsAnew(event)) texts.clear();
      if (event.type === "text-delta") return redactDelta(event, textOf(event), redact);
      if (event.type === "text") return [...restOf(event, textOf(event).flush(event.text)), redactEvent(event, redact)];
      return redactEvent(event, redact);
    },
  };
}

/** Another attempt, of the turn or of a request to the model, writes its texts from their start. */
function beginsAnew(event: SkeinEvent): boolean {
  return event.type === "turn-start" || (event.type === "status" && event.status === "api_retry");
}

/** The raw message has the piece as it came: it can go along only where that is what is shown. */
function redactDelta(event: TextDeltaEvent, text: DeltaRedactor, redact: Redact): readonly SkeinEvent[] {
  const shown = text.push(event.text);
  if (shown === event.text) return [{ ...event, ...("raw" in event ? { raw: redactValue(event.raw, redact) } : {}) }];
  const { raw: _raw, ...rest } = event;
  return shown === "" ? [] : [{ ...rest, text: shown }];
}

/** The end of a text that was held back, as the last piece before the whole of it. */
function restOf(whole: TextEvent, text: string): readonly TextDeltaEvent[] {
  const { raw: _raw, ...rest } = whole;
  return text === "" ? [] : [{ ...rest, type: "text-delta", text }];
}

function redactEvent(event: SkeinEvent, redact: Redact): SkeinEvent {
  const kept = Object.entries(event).filter(([field]) => KEPT_FIELDS.has(field));
  return { ...redactValue(event, redact), ...Object.fromEntries(kept) };
}
