import { findCut, findSecrets, replaceSecrets, type FoundSecret, type SecretFinder } from "./find-secrets.ts";

/** Longer than any key; a text that may still be a secret after so much is not shown piece by piece. */
const MAX_HELD = 16_384;
/** What a pattern can see of the text before a secret. */
const CONTEXT = 128;

/** Takes the secrets out of a text that comes in pieces: what may be the beginning of one is held back. */
export interface DeltaRedactor {
  /** The text that can be shown now. */
  push(piece: string): string;
  /** The text is complete: the rest that can be shown. The whole of it, where that is known, tells whether it is this text's rest. */
  flush(whole?: string): string;
}

/** Makes a redactor for one text. `onFound` is told of each secret once. */
export function createDeltaRedactor(
  finders: readonly SecretFinder[],
  onFound: (secret: FoundSecret) => void = () => {},
): DeltaRedactor {
  let [context, held, isMuted] = ["", "", false];

  const release = (text: string, secrets: readonly FoundSecret[], to: number): string => {
    const from = context.length;
    for (const secret of secrets) if (secret.end <= to) onFound(secret);
    context = text.slice(Math.max(0, to - CONTEXT), to);
    held = text.slice(to);
    return replaceSecrets(text, secrets, [from, to]);
  };

  return {
    push(piece) {
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
    flush(whole) {
      const text = context + held;
      // What was held back of another text, one that broke off, may be half a secret.
      const isRest = !isMuted && (whole === undefined || whole.endsWith(held));
      const rest = isRest ? release(text, findSecrets(text, finders, context.length), text.length) : "";
      [context, held, isMuted] = ["", "", false];
      return rest;
    },
  };
}
