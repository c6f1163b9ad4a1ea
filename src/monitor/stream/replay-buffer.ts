/** A message that is kept for who reconnects, as it is sent. */
export interface KeptMessage {
  readonly seq: number;
  readonly text: string;
  readonly topics: readonly string[];
}

const MOST_MESSAGES = 10_000;
const MOST_CHARACTERS = 16 * 1024 ** 2;

/** The last messages, within bounds. */
export interface ReplayBuffer {
  add(message: KeptMessage): void;
  /** What came after a message; undefined where some of it is not kept any more. */
  after(seq: number): readonly KeptMessage[] | undefined;
}

export function createReplayBuffer(
  messages: number = MOST_MESSAGES,
  characters: number = MOST_CHARACTERS,
): ReplayBuffer {
  let kept: KeptMessage[] = [];
  let first = 0;
  let held = 0;
  let lastSeq = 0;
  return {
    add(message) {
      kept.push(message);
      held += message.text.length;
      lastSeq = message.seq;
      while (kept.length - first > messages || (held > characters && kept.length - first > 1)) {
        held -= kept[first]?.text.length ?? 0;
        first += 1;
      }
      if (first > messages) {
        kept = kept.slice(first);
        first = 0;
      }
    },
    after(seq) {
      if (seq > lastSeq) return undefined;
      const oldest = kept[first]?.seq ?? lastSeq + 1;
      return seq < oldest - 1 ? undefined : kept.slice(first + Math.max(0, seq + 1 - oldest));
    },
  };
}
